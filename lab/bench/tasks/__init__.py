"""Tasks: everyday requests through the whole agent on a loopback Discord, judged by their effect.

Read `task.py` first (a task as data, and the effects that a judge may look at), then `table.py` (the tasks), `stage.py`
(one agent, one task) and `run.py` (the benchmark).
"""

from __future__ import annotations
