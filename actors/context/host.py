"""Services of a window's actor for its parts: the host protocol of this room, and the timer of looks at the logs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

from actors.kernel import Host
from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.turn.conversation import Conversation
from messages.base import Address, RequestId, TurnId, Window
from messages.context import LookDue
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


class LookTimer:
    """Sender of `LookDue` to the window; until then the window stays in memory, the only place of the new words."""

    def __init__(self, host: WindowHost) -> None:
        self._host = host
        self._due_s = math.inf
        self._wait_id = RequestId("")

    def set(self, delay_s: float) -> None:
        """Have the message sent in so many seconds, or earlier."""
        due_s = self._host.monotonic() + delay_s
        if due_s < self._due_s:
            self._host.withdraw(self._wait_id)
            self._due_s, self._wait_id = due_s, self._host.wait(delay_s, self._send)

    def _send(self) -> None:
        self._due_s = math.inf
        self._host.tell(self._host.address, LookDue())
