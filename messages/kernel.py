"""What the kernel says to whoever runs the system, when it cannot keep an actor running."""

from __future__ import annotations

from messages.base import Address, Message


class ActorGaveUp(Message, frozen=True, kw_only=True, gc=False):
    """A core actor crashed too often and is started no more: the process should end."""

    address: Address
    crashes: int
    within_s: float


KernelEvent = ActorGaveUp
