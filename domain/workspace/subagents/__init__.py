"""Sub-agents: contents of a definition (`definition.py`), and prompts (`prompt.py`)."""

from __future__ import annotations
