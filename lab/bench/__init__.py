"""Benchmarks: the figures of the documents, each beside its peers.

Read `benchmark.py` first (a benchmark as data), then a room: `objects/`, `facts/`, `workspace/`, `shell/`, `memory/`,
`recall/`, `cluster/`, `discord/`; then `campaign.py` (the kernel's rows, rounds, medians) and `measurement.py` (each
of its measurements by name) with `kernel/`.
`encoder.py` stands for itself: the local model compiled beside numpy.
`process.py` is the only one that starts programs, so that no measurement sees another's memory; `child.py` is what runs
there. `measure.py` has stopwatch, memory and percentiles. `report.py` and `table.py` are pure.
"""

from __future__ import annotations
