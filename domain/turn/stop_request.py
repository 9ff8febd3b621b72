"""Stop request: a message, or a press of a button, that only wants the running turn stopped."""

from __future__ import annotations

import re

STOP_PREFIX = "stop:"
"""Of the custom id of the button that stops a turn; the turn's id follows."""
_LONGEST = 100
"""Characters of a message that can be the word alone, with a mention and punctuation around it."""
_MENTION = re.compile(r"<@[!&]?[0-9]+>")
_WORD = re.compile(r"[^\W_]+")


def says_stop(text: str) -> bool:
    """Whether `text` is the word "stop" alone; case, punctuation and whom it mentions are no matter."""
    return len(text) <= _LONGEST and [word.casefold() for word in _WORD.findall(_MENTION.sub("", text))] == ["stop"]
