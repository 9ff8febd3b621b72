"""Benchmark of the memory's search, beside sqlite-vec and chromadb."""

from __future__ import annotations
