"""Slash command: words that begin with a slash and a name, which Discord carries out and shows to no model."""

from __future__ import annotations

import re

from domain.text.lookalike import as_seen

_COMMAND = re.compile(r"/([a-z][a-z-]*)(?:[\s:,;!?@()\[\]\"`]|\.*(?:\s|$))")
"""A name ends where no path, file or longer word goes on: `/etc/hosts` and `/status.html` are none."""
_LONGEST = 200
"""Characters in which a name ends."""


def slash_command(text: str) -> str:
    """Name of the command that `text` looks like to who reads it, in small letters; empty if it looks like none."""
    match = _COMMAND.match(as_seen(text.lstrip()[:_LONGEST]).lstrip())
    return "" if match is None else match[1]
