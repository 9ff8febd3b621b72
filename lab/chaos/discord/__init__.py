"""Campaign on the connection to Discord: the real Discord actor before a loopback Discord that misbehaves.

Read `rig.py` first (the actor, and windows that answer at once), then `faults.py` (which fault when, and the
judgement), then `figures.py` (how soon typing shows, how late the loop is).
Nothing is written but the temporary folder of the agent that `figures.py` starts. `Judgement` and `percentiles` are
pure.
"""

from __future__ import annotations
