"""Benchmark of the import of the past: rates, kills, memory, and concurrent answers. Begin with `run.py`."""

from __future__ import annotations
