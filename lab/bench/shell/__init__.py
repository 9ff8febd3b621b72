"""Benchmark of what a sandbox costs a command, and another window: start, many at once, floods, cancelling, attacks.

Read `run.py` first (the measurements, through the real actors of `shells.py`), then `neighbour.py` (what another window
notices of an attack) and `report.py` (targets, JSON, tables).
Only the shell actors start programs, below a folder that goes afterwards. `report.py` is pure but for the
machine's name and load.
"""

from __future__ import annotations
