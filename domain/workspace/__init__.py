"""Workspace: what a window's files of working state say, what of them belongs to a message, and how they change.

Read first `files/` (what the three files hold), second `recall/` (what of them is shown with a message), third
`workers/` and `answers/` (what a model is asked about them, and what of its answer may be written). `handover.py` is
what stands in for turns that are cut off, with people's `said_words.py`, `identity.py` what the system prompt says;
`skills/` and `subagents/` are what skills and definitions of sub-agents declare. All pure.
"""

from __future__ import annotations
