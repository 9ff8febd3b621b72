"""Deterministic simulation: whole lives of the agent on a seeded clock, disk, network and scheduler.

A seed is a schedule: who says what when, which mailbox runs next, how long calls take, what fails, when the process is
killed or the power goes. The same seed gives the same schedule, so a failure is replayed by its number.

Real are the kernel, the windows, Discord's actor with discord.py above its connection, the scheduler and the memory.
Doubles are below and beside them: `loop.py` (asyncio on the clock), `disk.py` (what a power loss leaves), `server.py`
(Discord), `doubles.py` (model, shell, embedder). `seams.py` alone puts them in place, for a whole process, which is why
`campaign.py` runs seeds in processes of its own. `life.py` is one process of the agent, `world.py` a schedule with all
its lives, `verdict.py` says afterwards what was lost, doubled or altered.
"""

from __future__ import annotations
