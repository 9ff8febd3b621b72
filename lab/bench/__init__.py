"""Benchmarks: the figures of the documents, each beside its peers.

Read `campaign.py` first (rows, rounds, medians), then `measurement.py` (every measurement by name), then a room:
`cluster/`, `discord/`, `kernel/`, `memory/`, `recall/`, `shell/`.
`encoder.py` stands for itself: the local model compiled beside numpy.
`process.py` is the only one that starts programs, so that no measurement sees another's memory; `child.py` is what runs
there. `measure.py` has stopwatch, memory and percentiles. `report.py` and `table.py` are pure.
"""

from __future__ import annotations
