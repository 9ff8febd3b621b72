"""A month of one agent: conversations and reminders on a clock that is moved, and the growth of the process.

Read `run.py` first (the month, and what is measured), then `child.py` (the whole agent in a process of its own, which
moves its clock when told), then `shared_clock.py` (the time that both processes read).
`child.py` alone moves the clock.
"""

from __future__ import annotations
