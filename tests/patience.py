"""How long a test waits for what must come: one number for all, far above what a busy machine needs."""

from __future__ import annotations

PATIENCE_S = 120.0
"""Deadline of every wait for an event; a test that passes never sees it. Less than pytest's own timeout."""
