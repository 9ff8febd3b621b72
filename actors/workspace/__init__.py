"""Workspace: a window's files of working state, the start of its turns and the basis of compaction; an actor each.

Read first `actor.py` (before, between and after turns) with `preparing.py` (the block for a turn), second `upkeep/`
(the gate before a cut, and models that keep the files), third `channel.py` and `files.py` (reads and writes of the
files beside people). `skills/` are hooks, `subagents/` runs beside the turn; `bookkeeping.py` holds deletable data.
"""

from __future__ import annotations
