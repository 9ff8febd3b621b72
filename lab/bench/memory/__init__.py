"""Benchmark of the memory's nearest rows beside those of sqlite-vec and chromadb.

Read `run.py` first (what is measured, in which order), then `data.py` (how synthetic turns imitate real ones), then
`measure.py` (one system in a process of its own).
`set.py` is the only writer of the set on the disk, `rebuild.py` of the logs that an index is rebuilt from. `oracle.py`
is brute force, the truth that lists are compared with. `data.py` is pure.
"""

from __future__ import annotations
