"""Benchmark of the layer of objects: size, cached share and price of requests with the layer and without.

Read `workloads.py` first (conversations with tools, one of them recorded), then `play.py` (events through the real
fold, and the request of each model call) with `layer.py` (the real actors, asked for wordings) and `request.py`
(tokens, cached share, price). `run.py` measures all.
Only `work_folder.py` writes files of windows, all of them below temporary folders.
"""

from __future__ import annotations
