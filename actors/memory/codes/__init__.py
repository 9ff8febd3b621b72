"""Codes of vectors: compressed copies in which the nearest are found."""

from __future__ import annotations
