"""Benchmarks: the figures of the documents, each beside its peers.

Read `benchmark.py` first (a benchmark as data), then `kernel/run.py` (the actor runtime), then another room:
`objects/`, `prompts/`, `facts/`, `workspace/`, `shell/`, `memory/`, `recall/`, `cluster/`, `discord/`, `crashes/`,
`continuity/`, `start/`, `durable/`, `month/`, `tasks/` (everyday tasks with a real model).
`encoder.py` stands for itself: the local model compiled beside numpy. `process.py` is the only one that starts
programs, so that no measurement sees another's memory; `child.py` is the kernel's entry there. `measure.py` has
stopwatch, memory and percentiles, `machine.py` the machine's facts.
"""

from __future__ import annotations
