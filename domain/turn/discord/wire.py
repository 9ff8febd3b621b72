"""Reading of Discord's JSON: values of the wanted kind, or an empty value, whatever Discord sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from domain.text.imitation import marked_line
from domain.turn.speaker import shown_line, shown_name

Wire = Mapping[str, Any]
"""An object as Discord sent it."""

MOST_ENTRIES = 50
"""Most entries of a list to read; Discord's own limits are lower."""
_LONGEST_LABEL = 300
_NO_PARENTHESES = {ord("("): " ", ord(")"): " "}


def text_at(wire: Wire, key: str) -> str:
    """Text under `key`; empty without a text."""
    value = wire.get(key)
    return value if isinstance(value, str) else ""


def number_at(wire: Wire, key: str) -> int:
    """Whole number under `key`, also spelled as text; 0 without a number."""
    value = wire.get(key)
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value[:20])
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == value else 0


def id_at(wire: Wire, key: str) -> str:
    """Id under `key`; empty without an id."""
    value = wire.get(key)
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if text.isascii() and text.isdecimal() else ""


def object_at(wire: Wire, key: str) -> Wire:
    """Object under `key`; an empty object without a value."""
    value = wire.get(key)
    return value if isinstance(value, Mapping) else {}


def objects_at(wire: Wire, key: str) -> Iterator[Wire]:
    """Objects of the list under `key`, the first `MOST_ENTRIES`."""
    value = wire.get(key)
    for each in value[:MOST_ENTRIES] if isinstance(value, list | tuple) else ():
        if isinstance(each, Mapping):
            yield each


def label(text: str) -> str:
    """`text` on one line, fit to stand within a line of the runtime."""
    return shown_line(text, _LONGEST_LABEL).replace("[", "(").replace("]", ")")


def bare_name(name: str) -> str:
    """`name` fit to stand in parentheses beside an id; empty for a blank name."""
    return " ".join(shown_name(name).translate(_NO_PARENTHESES).split()) if name.strip() else ""


def list_block(head: str, lines: Iterable[str]) -> list[str]:
    """Lines of a block: its head in brackets, then foreign lines, each behind a mark and unable to imitate the head."""
    return [f"[{head}]", *(marked_line(line) for text in lines for line in text.splitlines() if line.strip())]
