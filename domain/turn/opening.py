"""Opening of a turn: the turn made from a person's message."""

from __future__ import annotations

from typing import Any

from domain.log.event import Event
from domain.log.off_record import MESSAGE_KEY
from domain.text.token_estimate import PICTURE_CHARS, weighed_chars
from domain.turn.attachments import images_of
from domain.turn.speaker import Speakers
from domain.turn.turn import Turn, TurnState
from domain.turn.wording import prompt_of
from messages.base import TurnId


def opening(event: Event, meta: dict[str, Any], speakers: Speakers, images_before: int) -> Turn:
    """The turn that a user event opens, or an overheard turn.

    Args:
        event: Event of a person's message.
        meta: Metadata of the event.
        speakers: All speakers so far; the author is added.
        images_before: Number of images in the conversation so far.
    """
    message_id = str(meta.get("message_id", ""))
    prompt = prompt_of(event, meta, speakers)
    unquoted = prompt_of(event, {**meta, "quote": None}, speakers) if meta.get("quote") else prompt
    images = images_of(meta)
    size_chars = weighed_chars(prompt) + PICTURE_CHARS * len(images)
    return Turn(
        id=TurnId(event.id),
        message_id=message_id,
        author_id=str(meta.get("author_id", "")),
        author=str(meta.get("author", "")),
        text=event.content,
        at=event.at,
        prompt=prompt,
        state=TurnState.OVERHEARD if meta.get("overheard") else TurnState.OPEN,
        size_chars=size_chars,
        opening_chars=size_chars,
        images=images,
        images_before=images_before,
        audience=str(meta.get("audience", "")),
        tables=_tables(meta),
        may_run=not meta.get("viewer"),
        is_off_record=meta.get(MESSAGE_KEY) is True,
        message_ids=[message_id] if message_id else [],
        unquoted={event.id: unquoted} if unquoted != prompt else {},
        quoted_ids=_quoted_ids(meta),
    )


def _tables(meta: dict[str, Any]) -> tuple[str, ...]:
    tables = meta.get("tables")
    return tuple(map(str, tables)) if isinstance(tables, list) else ()


def _quoted_ids(meta: dict[str, Any]) -> list[str]:
    quote = meta.get("quote")
    return [str(quote.get("message_id", ""))] if isinstance(quote, dict) else []
