"""Bounds of what is remembered: the oldest entries of a dict go."""

from __future__ import annotations

from itertools import islice
from typing import Any

_AT_ONCE = 8
"""The eighth part goes at once: to find the oldest takes a dict ever longer while they go one by one."""


def forget_oldest(known: dict[Any, Any]) -> None:
    """Forget the eighth part of what is known, what came into it first; an OrderedDict takes 80 bytes more for each."""
    for key in list(islice(known, max(1, len(known) // _AT_ONCE))):
        del known[key]
