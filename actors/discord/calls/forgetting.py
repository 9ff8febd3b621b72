"""Limits of memory: the oldest entries of a dict are removed."""

from __future__ import annotations

from itertools import islice
from typing import Any

_AT_ONCE = 8
"""Divisor of the share removed at once, an eighth: with single removals the search for the oldest entry takes ever
longer."""


def forget_oldest(known: dict[Any, Any]) -> None:
    """Forget the oldest eighth of the entries; an OrderedDict takes 80 bytes more for each entry."""
    for key in list(islice(known, max(1, len(known) // _AT_ONCE))):
        del known[key]
