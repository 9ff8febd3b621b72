"""Benchmark of recall: the share of a question's evidence in the block injected for the question.

Read `run.py` first (questions and figures), then `search.py` (each way to search), then `data.py` (conversation
files). `facts.py` and `workspace.py` count the same in the blocks of these layers, by `observations.py`, LoCoMo's own.
`vectors.py` is the only writer of a file, the cache of vectors. `search.py` is pure.
"""

from __future__ import annotations
