"""What imitates, loads and measures the agent; imports it, and only `actors.cli` imports this."""

from __future__ import annotations
