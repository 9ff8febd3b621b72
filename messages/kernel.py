"""What the kernel says about actors to those who subscribed."""

from __future__ import annotations

from datetime import datetime

from messages.base import Address, Message


class ActorCrashed(Message, frozen=True, kw_only=True, gc=False):
    """An actor died while starting, handling or stopping."""

    address: Address
    phase: str
    """`start`, `handle`, `stop` or `timer`."""
    error: str
    """Type and text of the exception."""
    traceback: str
    at: datetime


class ActorGaveUp(Message, frozen=True, kw_only=True, gc=False):
    """An actor crashed too often: suspended for a while, or for good if it is a core actor."""

    address: Address
    crashes: int
    within_s: float
    final: bool
    at: datetime


class MessageBuried(Message, frozen=True, kw_only=True, gc=False):
    """A message became a dead letter."""

    address: Address
    message_type: str
    reason: str
    at: datetime


KernelEvent = ActorCrashed | ActorGaveUp | MessageBuried
