"""Calls of Linux that Python does not have."""

from __future__ import annotations
