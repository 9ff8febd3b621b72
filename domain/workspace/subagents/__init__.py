"""Sub-agents: what a definition may say of one (`definition.py`), and what it is told (`prompt.py`)."""

from __future__ import annotations
