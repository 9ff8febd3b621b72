"""Upkeep of a window's files by models, and the gate before a cut.

Read first `gate.py` (what comes before a cut), second `updates.py` (what of workers' answers is written) with
`workers.py` (one call at a time), third `told.py` (words that the window tells again) and `state.py` (what is kept in
mind of all this).
"""

from __future__ import annotations
