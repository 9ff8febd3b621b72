"""Wish of a model: the one line by which it asks for more of a record, in place of an answer to people."""

from __future__ import annotations

import re

from messages.base import make_ready
from messages.turn import Reference

_BEGINNING = "EXPAND "
_WISH = re.compile(r"`?EXPAND path=(\S{1,300}) line=([1-9][0-9]{0,11})`?")


def wish(answer: str) -> Reference | None:
    """The record that the model wants to see; None when `answer` is meant for people."""
    match = _WISH.fullmatch(answer.strip())
    return Reference(path=match[1], line=int(match[2])) if match else None


def wish_line(reference: Reference) -> str:
    """The wish as a request shows it."""
    return f"{_BEGINNING}path={reference.path} line={reference.line}"


def may_become_wish(beginning: str) -> bool:
    """True if the beginning of an answer is that of a wish, so that people are not shown it."""
    return beginning.lstrip("` \n").startswith(_BEGINNING)


make_ready(__name__)
