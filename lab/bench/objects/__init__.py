"""Benchmark of the layer of objects: what requests come to with it and without, what it costs, what survives a kill.

Read `workloads.py` first (conversations that use tools, two of them recorded ones), then `play.py` (events through the
real fold, and the request of each model call) with `layer.py` (the real actors, asked for wordings) and `request.py`
(tokens, cached share, price). `run.py` measures all; `speed.py` and `idle.py` run in processes of their own, `kills.py`
kills such as `life.py` describes. `report.py` is pure (targets, JSON, tables).
Only `work_folder.py` writes files of windows, all of them below temporary folders.
"""

from __future__ import annotations
