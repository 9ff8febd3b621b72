"""Naming of entries: keeping the same content again gives the same id."""

from __future__ import annotations

import re

from domain.facts.folders import Place
from domain.facts.ids import id_of_path, uuid_of

FINAL = "L3"
"""Kind of the shown summary."""
_NUMBER = re.compile(r"_([0-9]{1,9})\.md$")


def turn_entries(turn_id: str) -> tuple[str, str]:
    """Ids of a turn's entries: the person's words, and the answer."""
    return uuid_of(f"{turn_id} user"), uuid_of(f"{turn_id} assistant")


def fact_entry(turn_id: str, number: int) -> str:
    """Id of the `number`th fact from a turn."""
    return uuid_of(f"{turn_id} fact {number}")


def summary_id(conversation: str, kind: str, number: int = 0) -> str:
    """Id of a summary.

    Args:
        conversation: Conversation of the summary.
        kind: `L1`, `L2` or `L3`.
        number: From 0, within its kind.
    """
    return f"{id_of_path(f'summaries of {conversation}')}-{kind}-{'final' if kind == FINAL else number}"


def place_summary_id(conversation: str, place: Place) -> str:
    """Id of the summary at a place; the original's single summary counts as final."""
    number = _NUMBER.search(place.name)
    kind = place.summary_kind if place.summary_kind in ("L1", "L2") else FINAL
    return summary_id(conversation, kind, int(number[1]) if number is not None else 0)
