"""Host protocol of this room: what the parts of a window's actor need of it."""

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
        """The fold of everything that was recorded."""

    @property
    def log_path(self) -> str:
        """The log's path below the data root; empty where nothing is kept."""

    @property
    def surface(self) -> Address:
        """Address of the actor that shows messages to users."""

    def read_spoken(self, path: str, first: TurnId, last: TurnId) -> tuple[SpokenTurn, ...]:
        """Words of a stretch of one of the window's logs, as far as they can be read."""

    def record(self, kind: Kind, content: str, meta: Mapping[str, MetaValue], *, sync: bool) -> LoggedEvent:
        """Append to the log and to the conversation."""
