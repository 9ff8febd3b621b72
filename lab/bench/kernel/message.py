"""What the benchmark's actors say to one another."""

from __future__ import annotations

from messages.base import Address, Message


class Ping(Message, frozen=True, kw_only=True, gc=False):
    """Something to be counted."""

    n: int = 0


class Question(Message, frozen=True, kw_only=True, gc=False):
    """Something to be answered."""

    n: int
    reply_to: Address


class Answer(Message, frozen=True, kw_only=True, gc=False):
    """What is said to a question."""

    n: int


class Stamped(Message, frozen=True, kw_only=True, gc=False):
    """Something that knows when it was told."""

    told_at: float
    """In `time.perf_counter` seconds."""
