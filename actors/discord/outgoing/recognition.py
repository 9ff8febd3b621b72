"""Recognition of sent messages: the bot's messages in a channel that show a text, or a turn that ran.

Discord knows a nonce for some minutes only, and does not promise to name the nonce in a channel's history. So a text
is known by its nonce if there is a nonce, and else by its words, in a message newer than the answered message, not an
answer to another message, and not known to show another text. Of texts with the same words owed at the same time the
oldest is posted first, so the oldest is the first to find its message; the message then counts for no other text. A
running message is known by its button only: the button names the turn, survives edits, and goes with the last edit.
A text with buttons is known by their names, too: an earlier question about the same may stand there with its buttons.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import discord

from domain.text.splitting import sendable
from domain.turn.typed_command import STOP_PREFIX
from messages.base import MessageId
from messages.discord import PostMessage

_EVENT_NONCE = re.compile(r"[a-z2-7]{8}\.(?:[0-9]+|live)")
"""Nonces of parts of logged texts, and of running messages of turns."""


@dataclass(frozen=True, slots=True)
class Part:
    """One message of a text."""

    text: str
    nonce: str
    is_first: bool
    is_last: bool
    files: tuple[tuple[str, str], ...] = ()
    """Name and text of each attached file."""


def live_nonce(turn_id: str) -> str:
    """Nonce of a turn's running message."""
    return f"{turn_id}.live"


def shown_already(
    message: PostMessage,
    parts: Sequence[Part],
    own: Iterable[discord.Message],
    is_taken: Callable[[MessageId, str], bool],
) -> list[MessageId]:
    """Ids of the messages that show the first parts of a text, as many as there are.

    Args:
        message: Text to post.
        parts: Parts of the text.
        own: The bot's messages after the answered one, oldest first.
        is_taken: True if a message is known to show another part than the nonce's.
    """
    message_ids: list[MessageId] = []
    for candidate in own:
        if len(message_ids) == len(parts):
            break
        part, message_id = parts[len(message_ids)], MessageId(str(candidate.id))
        if not is_taken(message_id, part.nonce) and _shows(message, part, candidate):
            message_ids.append(message_id)
    return message_ids


def running_turn(candidate: discord.Message) -> str:
    """Id of the turn whose progress one of the bot's messages shows; empty without a turn."""
    names = _names_of_buttons(candidate)
    return next((name.removeprefix(STOP_PREFIX) for name in names if name.startswith(STOP_PREFIX)), "")


def _names_of_buttons(candidate: discord.Message) -> Iterator[str]:
    """Custom ids of the buttons below a message."""
    buttons = (child for row in candidate.components for child in getattr(row, "children", ()))
    return (str(getattr(button, "custom_id", None) or "") for button in buttons)


def _shows(message: PostMessage, part: Part, candidate: discord.Message) -> bool:
    """True if `candidate` shows the part."""
    nonce = None if candidate.nonce is None else str(candidate.nonce)
    if nonce == part.nonce:
        return True
    if running_turn(candidate) or str(candidate.id) in message.others:
        return False
    names = frozenset(button.custom_id for button in message.buttons if part.is_last)
    if names and names.isdisjoint(_names_of_buttons(candidate)):
        return False
    mark = sendable(message.mark)
    is_marked = bool(mark) and mark in part.text and mark in candidate.content
    if not is_marked and (candidate.content.strip() != part.text or _is_of_another_event(nonce, message, part)):
        return False
    if not message.answers_message_id:
        return is_marked or nonce is None
    reference = candidate.reference
    return reference is None or str(reference.message_id) == message.answers_message_id


def _is_of_another_event(nonce: str | None, message: PostMessage, part: Part) -> bool:
    """True if a nonce belongs to a message of another event than this part's."""
    if nonce is None or not _EVENT_NONCE.fullmatch(nonce) or not _EVENT_NONCE.fullmatch(part.nonce):
        return False
    return nonce.partition(".")[0] != message.nonce and nonce != live_nonce(message.turn_id)
