"""Host protocol: what a part of an actor needs of the actor that it works for."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from actors.kernel.clock import Timer
from actors.kernel.dispatcher import Blocking
from messages.base import Address, Message


class Host(Protocol):
    """The actor behind a part; every `Actor` is one. A room that needs more of its actor extends this."""

    @property
    def address(self) -> Address:
        """Where answers go."""

    def new_id(self) -> str:
        """A fresh id."""

    def now(self) -> datetime:
        """Wall clock, aware UTC."""

    def monotonic(self) -> float:
        """Seconds that never go back."""

    def tell(self, to: Address, message: Message) -> None:
        """Say something to another actor, or to oneself for later."""

    def after(self, delay_s: float, message: Message) -> Timer:
        """Have something come back later."""

    def blocking(self) -> Blocking:
        """Wrap a wait for the disk."""
