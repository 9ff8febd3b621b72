"""Deterministic simulation: whole lives of the agent on a seeded clock, disk, network and scheduler.

A seed is a schedule: the people's messages and times, the order of mailboxes, the duration of calls, the faults, and
the kills and power losses. The same seed gives the same schedule, so a failure is replayed by its number.

Real are the kernel, the windows, Discord's actor with discord.py above its connection, the scheduler and the memory.
Doubles are below and beside them: `loop.py` (asyncio on the clock), `disk.py` (the remains of a power loss),
`server.py` (Discord), `doubles.py` (model, shell, embedder). `seams.py` alone puts doubles in place, for a whole
process; `campaign.py` therefore runs seeds in separate processes. `life.py` is one process of the agent, `world.py` a
schedule with all lives, `verdict.py` reports lost, doubled and altered messages afterwards.
"""

from __future__ import annotations
