"""Benchmark of what a sandbox costs a command: start, many at once, a flood of output, cancelling.

Read `run.py` first (the measurements, through real shell actors), then `report.py` (targets, JSON, tables).
Only the shell actors of `run.py` start programs, below a folder that goes afterwards. `report.py` is pure but for the
machine's name and load.
"""

from __future__ import annotations
