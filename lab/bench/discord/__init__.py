"""Benchmark of the connection to Discord: the real Discord actor before a loopback Discord.

Read `rig.py` first (the actor, and windows that answer at once), then `figures.py` (how soon typing shows, how late the
loop is). Nothing is written but the temporary folder of the agent that `figures.py` starts. `percentiles` is pure.
"""

from __future__ import annotations
