"""Workspace: what a window's files of working state say, and how they change without losing anybody's line.

Read first `outline.py` (a file as headings and items), second `session_state.py`, `memory_file.py` and
`history_file.py` (the three files), third `worker_prompts.py`, `worker_json.py`, `guard.py` and `consolidation.py`
(what a worker is asked and what of its answer may be written). `directives.py` and `handover.py` are what stands in for
the turns that are cut off. All pure.
"""

from __future__ import annotations
