"""The index: one SQLite file and what keeps it equal to the logs."""

from __future__ import annotations
