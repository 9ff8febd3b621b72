"""Load: many threads at once through the whole agent."""

from __future__ import annotations
