"""Host protocol of this room: services of a window's actor for its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from actors.kernel import Host
from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.turn.conversation import Conversation
from messages.base import Address, TurnId, Window
from messages.turn import LoggedEvent, SpokenTurn


class WindowHost(Host, Protocol):
    """The window's actor."""

    @property
    def window(self) -> Window:
        """Window of the actor."""

    @property
    def conversation(self) -> Conversation:
        """The fold of all recorded events."""

    @property
    def log_path(self) -> str:
        """The log's path below the data root; empty without a log."""

    @property
    def surface(self) -> Address:
        """Address of the actor that shows messages to users."""

    def read_spoken(self, path: str, first: TurnId, last: TurnId) -> tuple[SpokenTurn, ...]:
        """Words of a section of a log of the window, as far as readable."""

    def record(self, kind: Kind, content: str, meta: Mapping[str, MetaValue], *, sync: bool) -> LoggedEvent:
        """Append to the log and to the conversation."""
