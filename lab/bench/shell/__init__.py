"""Benchmark of what a sandbox costs a command."""

from __future__ import annotations
