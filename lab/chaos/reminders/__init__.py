"""Campaigns on reminders: kills at every step of a firing, races with editors, years of minutes.

Read `world.py` first (a Discord that keeps posted messages, and processes that live and die before it), then
`crash.py`, `race.py` and `replay.py`.
The reminders' file lies in an empty folder of the caller's; the scheduler's own file class writes the file, and in
`race.py` the editor of `lab/chaos/editor.py`. `replay.py` is pure but for its stopwatch.
"""

from __future__ import annotations
