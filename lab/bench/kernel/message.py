"""Messages of the benchmark's actors."""

from __future__ import annotations

from messages.base import Address, Message


class Ping(Message, frozen=True, kw_only=True, gc=False):
    """Message to be counted."""

    n: int = 0


class Question(Message, frozen=True, kw_only=True, gc=False):
    """Message to be answered."""

    n: int
    reply_to: Address


class Answer(Message, frozen=True, kw_only=True, gc=False):
    """Reply to a question."""

    n: int
