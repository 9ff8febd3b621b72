"""Benchmark of the memory's nearest rows beside those of sqlite-vec.

Read `run.py` first (measurements and their order), then `data.py` (synthetic turns that imitate real ones), then
`measure.py` (one system in a process of its own). `set.py` is the only writer of the set on the disk. `oracle.py` is
brute force, the truth that lists are compared with. `data.py` is pure.
"""

from __future__ import annotations
