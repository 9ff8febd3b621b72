"""Workspace: the content of a window's state files, the parts relevant to a message, and changes of the files.

Read first `files/` (the content of the three files), second `recall/` (the part shown with a message), third `workers/`
and `answers/` (questions to a model about the files, and the usable part of its answer). `handover.py` is the
substitute for turns that are cut off, with people's `said_words.py`, `identity.py` the content of the system prompt;
`skills/` and `subagents/` are declarations of skills and definitions of sub-agents. All pure.
"""

from __future__ import annotations
