"""Upkeep of a window's files by models, and the gate before a cut.

Read first `gate.py` (before a cut), second `updates.py` (writing workers' answers) with `workers.py` (one call at a
time), third `told.py` (words from the window's log) and `state.py` (the persistent state).
"""

from __future__ import annotations
