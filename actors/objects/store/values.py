"""Values of the store: names, numbers and times in the form of the store's tables, and refusals."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from actors.memory.derived.owner import RefusalError

FILE, OUTPUT = "f", "t"
"""Kinds of objects; an object's name begins with its kind."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_NAME = re.compile(r"([ft])([1-9][0-9]{0,8}|10{9})")


def number_of(name: str, kind: str) -> int:
    """Number of the object called `name`.

    Args:
        name: Name of the object.
        kind: `FILE` or `OUTPUT`, the required kind.

    Raises:
        RefusalError: the name is of another kind.
    """
    match = _NAME.fullmatch(name)
    if match is None or match[1] != kind:
        raise RefusalError(f"object {name!r}: {kind} and a number, as in {kind}12, are needed")
    return int(match[2])


def require_name(name: str) -> None:
    """Return if `name` is the name of an object, of either kind.

    Raises:
        RefusalError: the name is not an object's.
    """
    if _NAME.fullmatch(name) is None:
        raise RefusalError(f"object {name!r}: {FILE} or {OUTPUT} and a number, as in {FILE}12, are needed")


def microseconds(at: datetime) -> int:
    """Time in the form of the tables."""
    return (at - _EPOCH) // _TICK


def moment(at: int) -> datetime:
    """A time of the tables."""
    return _EPOCH + at * _TICK
