"""Choice from a list, by number, id, name or the beginning of a name. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


class Item(NamedTuple):
    """Entry of a list of choices."""

    id: str
    name: str
    about: str = ""
    """Shown behind the name."""


def choose_items(text: str, items: Sequence[Item]) -> tuple[Item, ...]:
    """Items chosen by `text`: numbers from 1, ids, names or beginnings of names, with commas or spaces between.

    Raises:
        ValueError: a word matches no item, or several.
    """
    words = [word.lstrip("#@") for word in re.split(r"[,\s]+", text.strip()) if word.lstrip("#@")]
    if not words:
        raise ValueError("at least one is required")
    choices = dict.fromkeys(_one(word, items) for word in words)
    return tuple(choices)


def _one(word: str, items: Sequence[Item]) -> Item:
    if by_id := [item for item in items if item.id == word]:
        return by_id[0]
    if word.isascii() and word.isdigit() and 1 <= int(word) <= len(items):
        return items[int(word) - 1]
    folded = word.casefold()
    for fits in (
        [item for item in items if item.name.casefold() == folded],
        [item for item in items if item.name.casefold().startswith(folded)],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            several = ", ".join(f"{item.name} ({item.id})" for item in fits[:4])
            raise ValueError(f"{word!r} may be {several}: type more of the name, a number or an id")
    raise ValueError(f"{word!r} is not in the list: a number from 1 to {len(items)}, a name or an id is required")
