"""Fault campaigns: break parts on purpose, and count what was lost, doubled or reordered.

Read `reminders/crash.py` first (the agent killed at every step), then `race.py` with `editor.py` (two editors of one
file), then `lives/campaign.py` (processes that are killed at random moments) and `kills/campaign.py` (the whole agent).
`forget/run.py` searches for words that were forgotten under kills, and is a benchmark.
Each other campaign gives a frozen report that says whether it `is_sound`.
"""

from __future__ import annotations
