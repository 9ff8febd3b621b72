"""Benchmark of recall from a workspace's files: what it adds, when it keeps still, how long it takes.

Read `run.py` first (what is measured), then `precision.py` with `messages.py` (messages and workspaces of our own,
which lie beside it), then `evidence.py` with `facts.py` (recorded conversations, which are no part of the project), and
`speed.py`. `report.py` is pure (targets, JSON, tables). Nothing writes a file but the cache of vectors.
"""

from __future__ import annotations
