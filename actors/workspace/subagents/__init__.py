"""Sub-agents: helpers that a window sets to work on a task each, beside the window's own turn.

Read first `runs.py` (a window's view of the runs, and the answers), then `child.py` (a run from the task to
the last words) with `talk.py` (the input of the model) and `config.py`; `definitions.py` lists the sub-agents,
`record.py` keeps the outcomes of runs.
"""

from __future__ import annotations
