"""Fault campaigns: break parts on purpose, and count what was lost, doubled or reordered.

Read `discord/faults.py` first (a fault at every tenth call), then `reminders/crash.py` (the agent killed at every
step), then `editor.py` with `reminders/race.py` (two editors of one file).
Each campaign gives a frozen report that says whether it `is_sound`.
"""

from __future__ import annotations
