"""Vector engine: exact nearest-neighbour search in compressed copies of the index's vectors.

`engine.py` is the interface to other rooms: append, remove, top. Read it first, then `nearest.py` (the search), then
`domain/memory/vector_codes.py` (why the bounds hold).
`tuning.py` holds every threshold; `table.py` the codes in memory, `scan.py` and `scan.c` the one pass over them.
`file.py` is the only writer of `memory/codes*`, by `records.py`. Pure: `bounds.py` but for its file, `directory.py`,
`tuning.py`.
"""
