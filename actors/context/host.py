"""What the parts of a window's actor need of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from actors.kernel import Timer
from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.turn.conversation import Conversation
from messages.base import Address, Message, Window
from messages.turn import LoggedEvent


class Host(Protocol):
    """The actor that a part works for."""

    @property
    def window(self) -> Window:
        """The window that it owns."""

    @property
    def conversation(self) -> Conversation:
        """The fold of everything that was recorded."""

    @property
    def surface(self) -> Address:
        """Who shows things to people."""

    @property
    def address(self) -> Address:
        """Where answers go."""

    def new_id(self) -> str:
        """A fresh id."""

    def tell(self, to: Address, message: Message) -> None:
        """Say something to another actor."""

    def after(self, delay_s: float, message: Message) -> Timer:
        """Have something come back later."""

    def record(self, kind: Kind, content: str, meta: Mapping[str, MetaValue], *, sync: bool) -> LoggedEvent:
        """Append to the log and to the conversation."""
