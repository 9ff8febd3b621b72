"""Benchmark of recall: how much of the evidence for a question stands in the block that is injected for it.

Read `run.py` first (what is asked and counted), then `search.py` (each way to search), then `data.py` (conversation
files). `facts.py` and `workspace.py` count the same in the blocks of these layers, by `observations.py`, LoCoMo's own.
`vectors.py` is the only writer of a file, the cache of vectors. `search.py` is pure.
"""

from __future__ import annotations
