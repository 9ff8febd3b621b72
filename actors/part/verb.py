"""Verb of the control sockets: one thing to ask, and of whom."""

from __future__ import annotations

from dataclasses import dataclass

from messages.base import Address, Message


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing to ask: whom, and with which message."""

    to: Address
    message: type[Message]
    """Has `request_id` and `reply_to`, perhaps `window`; its other fields are the arguments."""
    answer_s: float | None = None
    """Longest wait for its answer; None for the socket actor's usual one."""
