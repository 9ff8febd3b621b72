"""Benchmark of the memory's nearest rows beside the rows of sqlite-vec.

Read `run.py` first (measurements and their order), then `data.py` (synthetic turns that imitate real turns), then
`measure.py` (one system in a separate process). `set.py` is the only writer of the set on the disk. `oracle.py` is
brute force, the truth for comparing lists. `data.py` is pure.
"""

from __future__ import annotations
