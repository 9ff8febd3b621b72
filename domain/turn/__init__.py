"""One turn: the conversation, the prompt, the tool, files and skills."""

from __future__ import annotations
