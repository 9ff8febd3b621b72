"""Search: which turns bear on a question."""

from __future__ import annotations
