"""Wish of a model: the single line to ask for more of a record, in place of an answer to people."""

from __future__ import annotations

import re
from dataclasses import dataclass

from messages.base import make_ready
from messages.turn import Reference

_BEGINNING = "EXPAND "
_WISH = re.compile(r"`?EXPAND path=(\S{1,300}) line=([1-9][0-9]{0,11})`?")
_NEAR = re.compile(
    r"\W*expand\b\W{0,8}(?:path\W{0,4}[=:]|line\W{0,4}[=:]|[<\[({]? ?\.?logs?/)|\W*expand\W*$", re.IGNORECASE
)
"""Beginning of a line that would be a wish if written correctly."""
_PLACE = re.compile(
    r"expand\W{0,8}(?:path)?\W{0,6}(?:[\w./-]{0,300}/)?(?P<path>(?:\.log|logs)/[\w./-]{1,300}\.md)(?:\W{0,6}line)?[^\w/]{1,6}(?P<line>[1-9][0-9]{0,11})\b",
    re.IGNORECASE,
)
_KEYS = ("path", "line", "logs/", ".log/")
_SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class Wish:
    """A model's wish to see a record."""

    reference: Reference | None
    """None for a line without a readable place."""
    line: str = ""
    """Line of an unreadable wish, in the model's words."""


def find_wish(answer: str, *, is_topic: bool = False) -> Wish | None:
    """The wish in an answer, also a near miss; None for an answer for people.

    Args:
        answer: Words of the model.
        is_topic: True if people write about wishes: then only an answer that is a wish alone counts.
    """
    if match := _WISH.fullmatch(answer.strip()):
        return Wish(Reference(path=match[1], line=int(match[2])))
    if is_topic:
        return None
    near = next((line for line in answer.splitlines() if _NEAR.match(line)), None)
    if near is None:
        return None
    place = _PLACE.search(near)
    if place is None:
        return Wish(None, near.strip()[:_SHOWN_CHARS])
    return Wish(Reference(path=place["path"], line=int(place["line"])))


def wish_line(wish: Wish) -> str:
    """The wish as shown in a request."""
    if wish.reference is None:
        return wish.line
    return f"{_BEGINNING}path={wish.reference.path} line={wish.reference.line}"


def may_become_wish(beginning: str) -> bool:
    """True if an answer's beginning, or the last line of the beginning, may be a wish and must not be shown yet."""
    return any(_may_become(line) for line in (beginning.lstrip("` \n"), beginning.rpartition("\n")[2]))


def _may_become(line: str) -> bool:
    word, blank, rest = line.lstrip("`*_> -").lower().partition(" ")
    begins = word == "expand" and bool(blank) and any(key.startswith(rest[: len(key)]) for key in _KEYS)
    return begins or _NEAR.match(line) is not None


make_ready(__name__)
