"""Turns: the meaning of a window's log, and the part of the log shown to a model.

Read first `conversation.py` (the fold of a log's events: turns, requests, debts), second `prompt.py` (the wording of
every request) with `wording.py` (of one message) and `speaker.py` (of names), third `bash_tool.py` (the one tool).
`discord/` has all words of one Discord message; `attachments.py` and `skill.py` are about files; `seen.py`,
`typed_command.py` and `web_address.py` are about single messages. All pure, and functions of the log alone, so
requests of consecutive turns share their prefix byte for byte.
"""

from __future__ import annotations
