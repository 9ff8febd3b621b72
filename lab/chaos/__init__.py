"""Fault campaigns: what survives kills and failures."""

from __future__ import annotations
