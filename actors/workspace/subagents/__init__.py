"""Sub-agents: helpers that a window sets to work on one task each, beside its own turn.

Read first `runs.py` (what a window knows of its runs, and whom it answers), then `child.py` (one run from its task to
its last words) with `talk.py` (what its model is shown) and `config.py`; `definitions.py` says which there are,
`record.py` keeps what became of runs.
"""

from __future__ import annotations
