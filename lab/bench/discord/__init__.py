"""Benchmark of the connection to Discord: the real Discord actor before a loopback Discord.

Read `rig.py` first (the actor, and windows with immediate answers), then `figures.py` (delay of typing, lag of the
loop). Only the temporary folder of the agent started by `figures.py` is written. `percentiles` is pure.
"""

from __future__ import annotations
