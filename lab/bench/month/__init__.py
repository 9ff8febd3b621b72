"""A month of one agent: conversations and reminders on a movable clock, and the growth of the process.

Read `run.py` first (the month, and the measurements), then `child.py` (the whole agent in a separate process, which
moves its clock on command), then `shared_clock.py` (the time read by both processes). `child.py` alone moves the clock.
"""

from __future__ import annotations
