"""Workspace: what a window's files of working state say, what of them belongs to a message, and how they change.

Read first `outline.py` (a file as headings and items), second `session_state.py`, `memory_file.py` and
`history_file.py` (the three files), third `recall.py` with `entries.py`, `terms.py` and `recall_block.py` (what is
shown with a message). `worker_prompts.py`, `worker_json.py`, `guard.py` and `consolidation.py` are what a worker is
asked and what of its answer may be written; `directives.py` and `handover.py` what stands in for turns that are cut
off; `skills/` is what skills declare of their part. All pure.
"""

from __future__ import annotations
