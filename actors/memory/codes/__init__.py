"""Vector engine: exact nearest-neighbour search in compressed copies of the index's vectors.

`engine.py` is all that others import: append, remove, top, exhaustive. Read it first, then `nearest.py` (the searches),
then `domain/memory/vector_codes.py` (why the bounds hold) and `exhaustive.py` (why its list is exact).
`tuning.py` holds every threshold; `table.py` the codes in memory, `scan.py` and `scan.c` the one pass over them.
`file.py` is the only writer of `memory/codes*`, by `records.py`. Pure: `bounds.py` but for its file, `exhaustive.py`,
`directory.py`, `recency.py`, `tuning.py`.
"""
