"""Event of the kernel, for whoever runs the system: an actor cannot be kept running."""

from __future__ import annotations

from messages.base import Address, Message


class ActorGaveUp(Message, frozen=True, kw_only=True, gc=False):
    """A core actor crashed too often and is started no more: the process should end."""

    address: Address
    crashes: int
    within_s: float


KernelEvent = ActorGaveUp
