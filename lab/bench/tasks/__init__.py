"""Tasks: everyday requests through the whole agent on a loopback Discord, judged by their effect.

Read `task.py` first (a task as data, and the effects visible to a judge), then `table.py` (the tasks), `stage.py`
(one agent, one task) and `run.py` (the benchmark).
"""

from __future__ import annotations
