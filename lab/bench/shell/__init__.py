"""Benchmark of what a sandbox costs a command, and another window: start, many at once, floods, cancelling, attacks.

Read `run.py` first (the measurements, through the real actors of `shells.py`, and the targets), then `neighbour.py`
(what another window notices of an attack). Only the shell actors start programs, below a folder that goes afterwards.
"""

from __future__ import annotations
