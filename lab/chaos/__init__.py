"""Fault campaigns: break parts on purpose, and count what was lost, doubled or reordered.

Read `reminders/crash.py` first (the agent killed at every step), then `editor.py` with `reminders/race.py` (two editors
of one file).
Each campaign gives a frozen report that says whether it `is_sound`.
"""

from __future__ import annotations
