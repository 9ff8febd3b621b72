"""What stands in a log: events, their metadata, and how both are written and read."""

from __future__ import annotations
