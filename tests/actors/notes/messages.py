"""Protocol of NotesActor."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId
from messages.status import DescribeYourself
from messages.turn import EventsLogged, ExpandReference, PrepareTurn, TurnEnded

NOTES = Address("notes")


class TakeNote(Message, frozen=True, kw_only=True, gc=False):
    """Keep a line; answered by `NoteTaken`."""

    request_id: RequestId
    reply_to: Address
    line: Annotated[str, Meta(max_length=200)]


class NoteTaken(Message, frozen=True, kw_only=True, gc=False):
    """The line is kept."""

    request_id: RequestId
    count: int


NotesMessage = TakeNote | PrepareTurn | ExpandReference | TurnEnded | EventsLogged | DescribeYourself
NotesReply = NoteTaken
