"""Benchmarks: the figures of docs/performance.md, each beside its peers."""

from __future__ import annotations
