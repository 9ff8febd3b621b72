"""Benchmark of a sandbox's cost for a command and for another window: start, load, floods, cancelling, attacks.

Read `run.py` first (the measurements, through the real actors of `shells.py`, and the targets), then `neighbour.py`
(effects of an attack on another window). Only the shell actors start programs, below a folder removed afterwards.
"""

from __future__ import annotations
