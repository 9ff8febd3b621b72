"""What is remembered: how turns are found, ranked, cut and shown."""

from __future__ import annotations
