"""Wording of a request: each result is an unchanging reference, followed by the text while shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from domain.memory.block_json import block_json
from domain.objects import lines
from domain.objects.state import SHOWN_CHARS, Slot, WindowObjects
from domain.text.imitation import defuse_output
from domain.text.terminal_text import plain
from domain.turn.prompt import OBJECTS_PREFIX
from messages.base import EventId, TurnId

NOT_KEPT = "(its text is no longer kept)"

Texts = Mapping[tuple[str, int], str]
"""Object and version -> the text as shown."""


def results(objects: WindowObjects, printed: Mapping[EventId, str], texts: Texts) -> Iterator[tuple[EventId, str]]:
    """Wording of each result of a request.

    Args:
        objects: Texts and their places.
        printed: Result -> the text in the log.
        texts: Texts of objects shown apart from their own places.
    """
    slots = _by_place(objects)
    for event, text in printed.items():
        lines = objects.said.get(event)
        if lines is None:
            continue
        there = slots.get(event)
        if there is not None:
            yield event, "\n".join([*lines, *_texts_of(there, text, texts)])
        else:
            yield event, lines[0] if len(lines) == 1 else "\n".join(lines)


def notes(objects: WindowObjects, texts: Texts) -> Iterator[tuple[TurnId, str]]:
    """Notes at the heads of turns: the block's name, and one line of JSON that no text can break out of."""
    slots = _by_place(objects)
    for turn in objects.turns:
        lines, there = objects.said.get(turn), slots.get(turn, ())
        if lines or there:
            content: dict[str, object] = {"news": lines} if lines else {}
            if there:
                content["texts"] = [
                    {"object": slot.object, "version": slot.no, "text": texts.get((slot.object, slot.no), NOT_KEPT)}
                    for slot in there
                ]
            yield turn, f"{OBJECTS_PREFIX}\n{block_json(content)}"


def shown_text(text: str) -> str:
    """File's text as shown in requests: the beginning, without terminal sequences, imitations marked."""
    clean = defuse_output(plain(text[: SHOWN_CHARS + 1]).rstrip("\n"))
    if len(text) <= SHOWN_CHARS:
        return clean
    return f"{clean[:SHOWN_CHARS]}\n\n[Showing the first {SHOWN_CHARS} of {len(text)} characters]"


def needed_slots(objects: WindowObjects) -> Iterator[Slot]:
    """Texts needed by `results` and `notes`."""
    return (slot for slot in objects.slots if not slot.is_own)


def _by_place(objects: WindowObjects) -> dict[str, list[Slot]]:
    places: dict[str, list[Slot]] = defaultdict(list)
    for slot in objects.slots:
        places[slot.place].append(slot)
    return dict(places)


def _texts_of(slots: list[Slot], printed: str, texts: Texts) -> Iterator[str]:
    for slot in slots:
        if slot.is_own:
            yield printed
        else:
            yield lines.text_of(slot.object, slot.no)
            yield texts.get((slot.object, slot.no), NOT_KEPT)
