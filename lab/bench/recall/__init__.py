"""Benchmark of recall: how much of the evidence a turn is shown."""

from __future__ import annotations
