"""Typed commands: words that a person writes to have something done and not answered.

A slash with a name is carried out by Discord and shown to no model. The word "stop" alone stops the running turn.
"""

from __future__ import annotations

import re

from domain.text.lookalike import as_seen
from domain.text.mention import ADDRESSED

STOP_PREFIX = "stop:"
"""Of the custom id of the button that stops a turn; the turn's id follows."""

_COMMAND = re.compile(r"/([a-z][a-z-]*)(?:[\s:,;!?@()\[\]\"`]|\.*(?:\s|$))")
"""A name ends where no path, file or longer word goes on: `/etc/hosts` and `/status.html` are none."""
_LONGEST_NAME = 200
"""Characters in which a name ends."""
_LONGEST_STOP = 100
"""Characters of a message that can be the word alone, with a mention and punctuation around it."""
_MENTION = re.compile(ADDRESSED)
_WORD = re.compile(r"[^\W_]+")


def slash_command(text: str) -> str:
    """Name of the command that `text` looks like to who reads it, in small letters; empty if it looks like none."""
    match = _COMMAND.match(as_seen(text.lstrip()[:_LONGEST_NAME]).lstrip())
    return "" if match is None else match[1]


def says_stop(text: str) -> bool:
    """True if `text` is the word "stop" alone; case, punctuation and mentions do not matter."""
    words = _MENTION.sub("", text[: 4 * _LONGEST_STOP])
    is_short = len(text) <= 4 * _LONGEST_STOP and len(words) <= _LONGEST_STOP
    return is_short and [word.casefold() for word in _WORD.findall(words)] == ["stop"]
