"""Workspace: the files of working state that a window's turns begin with and its history is cut with; one actor each.

Read first `actor.py` (what happens before, between and after turns), second `gate.py` (what comes before a cut) with
`updates.py` and `workers.py` (what models are asked for the files), third `channel.py` and `files.py` (how the files
are read and written beside people). `bookkeeping.py` is what may be deleted. `skill_lives.py` and `hooks.py` are what
skills declare, and the scripts of theirs that run beside turns.
"""

from __future__ import annotations
