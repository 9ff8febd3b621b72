"""Benchmark of published sandbox escapes: the same commands in each sandbox of this machine, and in a peer's.

Read `scenarios.py` first (every scenario of the two public benchmarks, with the matching attempt),
then the attempts in `on_*.py`, commands that report their own success, and `run.py`, which runs and counts.
`stage.py` makes the targets outside of the sandbox. The abuse suite runs the same attempts.
"""

from __future__ import annotations
