"""Fault campaigns: break parts on purpose, and count losses, duplicates and reorderings.

Read `reminders/crash.py` first (the agent killed at every step), then `race.py` with `editor.py` (two editors of one
file), then `lives/campaign.py` (processes killed at random moments) and `kills/campaign.py` (the whole agent).
`forget/run.py` searches for forgotten words under kills, and is a benchmark.
Each other campaign gives a frozen report with a property `is_sound`.
"""

from __future__ import annotations
