"""Benchmark of the layer of objects: the size, the cached share and the price of requests with it and without.

Read `workloads.py` first (conversations that use tools, one of them a recorded one), then `play.py` (events through the
real fold, and the request of each model call) with `layer.py` (the real actors, asked for wordings) and `request.py`
(tokens, cached share, price). `run.py` measures all.
Only `work_folder.py` writes files of windows, all of them below temporary folders.
"""

from __future__ import annotations
