"""Workspace: the files of working state that a window's turns begin with and its history is cut with; one actor each.

Read first `actor.py` (what happens before, between and after turns) with `preparing.py` (what a turn is shown), second
`upkeep/` (the gate before a cut, and models that keep the files), third `channel.py` and `files.py` (how the files are
read and written beside people). `skills/` are hooks, `subagents/` runs beside the turn; `bookkeeping.py` is what may be
deleted.
"""

from __future__ import annotations
