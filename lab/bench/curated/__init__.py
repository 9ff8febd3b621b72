"""Benchmark of curated memory: what a turn's block costs, with files as they were and after each change of one.

Read `data.py` first (folders of a realistic size), then `run.py` (the real actor in a real system, beside one that
contributes nothing), then `report.py` (targets, JSON, table).
The folders lie below a temporary one; the measurement writes them as other programs do. `report.py` is pure but for
the machine's name and load.
"""

from __future__ import annotations
