"""Mailbox of code outside actors: a command line, a test, a thread of another library."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from messages.base import Address, Message

if TYPE_CHECKING:
    from actors.kernel.system import ActorSystem

EDGE_KIND = "edge"


class Edge:
    """Mailbox of code outside actors; its holder takes messages out, from any thread."""

    def __init__(self, system: ActorSystem, address: Address) -> None:
        self.address = address
        self._system = system
        self._messages: deque[Message] = deque()
        self._arrival = threading.Condition()

    def put(self, message: Message) -> None:
        """Take a message in; the kernel calls this in the sender's thread."""
        with self._arrival:
            self._messages.append(message)
            self._arrival.notify_all()

    def tell(self, to: Address, message: Message) -> None:
        """Say `message` to the actor at `to`."""
        self._system.tell(to, message)

    def follow(self, topic: str) -> None:
        """Receive messages of actors on `topic`, until `close`."""
        self._system.topics.follow(topic, self.address)

    def receive(self, timeout_s: float = 5.0, matches: Callable[[Message], bool] | None = None) -> Message:
        """The oldest message, or the oldest match of `matches`; the rest stay for later.

        Raises:
            TimeoutError: no message came within `timeout_s` seconds.
        """
        with self._arrival:
            message = self._arrival.wait_for(lambda: self._take(matches), timeout_s)
        if message is None:
            raise TimeoutError(f"{self.address}: no such message within {timeout_s} s")
        return message

    def drain(self) -> list[Message]:
        """All messages here now, oldest first."""
        with self._arrival:
            messages = list(self._messages)
            self._messages.clear()
            return messages

    def close(self) -> None:
        """Take no more messages: later messages to this address become dead letters."""
        self._system.close_edge(self)

    def _take(self, matches: Callable[[Message], bool] | None) -> Message | None:
        for index, message in enumerate(self._messages):
            if matches is None or matches(message):
                del self._messages[index]
                return message
        return None
