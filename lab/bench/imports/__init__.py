"""Benchmark of the import of the past: rates, kills, memory, and answers beside it. Begin with `run.py`."""

from __future__ import annotations
