"""Typed commands: words that a person writes to cause an action instead of an answer.

A slash with a name is carried out by Discord and shown to no model. The word "stop" alone stops the running turn.
"""

from __future__ import annotations

import re

from domain.text.lookalike import as_seen
from domain.text.mention import ADDRESSED

STOP_PREFIX = "stop:"
"""Prefix of the custom id of the button that stops a turn; the turn's id follows."""

_COMMAND = re.compile(r"/([a-z][a-z-]*)(?:[\s:,;!?@()\[\]\"`]|\.*(?:\s|$))")
"""Name not followed by more of a path, file or word: `/etc/hosts` and `/status.html` are not commands."""
_LONGEST_NAME = 200
"""Most characters to search for the end of a name."""
_LONGEST_STOP = 100
"""Longest message that can be the word alone, with a mention and punctuation around the word."""
_MENTION = re.compile(ADDRESSED)
_WORD = re.compile(r"[^\W_]+")


def slash_command(text: str) -> str:
    """Name of the command that `text` looks like to a reader, in small letters; empty for other texts."""
    match = _COMMAND.match(as_seen(text.lstrip()[:_LONGEST_NAME]).lstrip())
    return "" if match is None else match[1]


def says_stop(text: str) -> bool:
    """True if `text` is the word "stop" alone; case, punctuation and mentions do not matter."""
    words = _MENTION.sub("", text[: 4 * _LONGEST_STOP])
    is_short = len(text) <= 4 * _LONGEST_STOP and len(words) <= _LONGEST_STOP
    return is_short and [word.casefold() for word in _WORD.findall(words)] == ["stop"]
