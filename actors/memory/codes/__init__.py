"""Vector engine: exact nearest-neighbour search in compressed copies of the index's vectors.

`engine.py` is the interface to other rooms: append, remove, top. Read `engine.py` first, then `nearest.py` (the
search), then `domain/memory/vector_codes.py` (proof of the bounds). `tuning.py` holds every threshold; `table.py` the
codes in memory, `scan.py` and `scan.c` the single pass over the codes. `file.py` is the only writer of `memory/codes*`,
by `records.py`. Pure: `bounds.py` but for its file, `directory.py`, `tuning.py`.
"""
