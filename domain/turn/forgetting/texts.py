"""Texts of an event: words of a person, and words in metadata."""

from __future__ import annotations

from collections.abc import Iterator

from domain.log.event import Event
from domain.turn.attachments import spoken_texts


def person_texts(event: Event) -> Iterator[str]:
    """Words of an event of a person: as typed, as spoken, and with the texts of files."""
    yield event.content
    typed = event.meta_dict().get("typed")
    yield event.content[: typed if isinstance(typed, int) else 0]
    yield from spoken_texts(event.content)


def texts_in(value: object) -> Iterator[str]:
    """All texts in a value of metadata."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
