"""Custom ids of buttons that forget: a list of memories shows the buttons; the forgetting actor serves clicks."""

from __future__ import annotations

from messages.base import Window
from messages.turn import Reference

PLACE_PREFIX = "place:"
"""Prefix of the button that forgets one record; the place follows, without the parts common to every log."""
ABOUT_PREFIX = "about-me:"
"""Prefix of the button that forgets all own words in the list about a person."""
_ROOT, _SUFFIX = "logs/", ".md"


def place_id(path: str, line: int) -> str:
    """Custom id of the button that forgets the record at a place."""
    return f"{PLACE_PREFIX}{path.removeprefix(_ROOT).removesuffix(_SUFFIX)}:{line}"


def parse_place(rest: str) -> tuple[Window, Reference]:
    """Window and place of the record of such a button.

    Args:
        rest: Custom id behind the prefix.

    Raises:
        ValueError: the id is malformed.
    """
    name, _, line = rest.rpartition(":")
    surface, _, file = name.partition("/")
    key = f"{surface}/{file.partition('/')[0]}"
    if not line.isdecimal() or name.count("/") != 2:
        raise ValueError(f"button {rest[:100]!r}: <surface>/<id>/<log>:<line> is required")
    return Window.from_key(key), Reference(path=f"{_ROOT}{name}{_SUFFIX}", line=int(line))
