"""Keeping of messages of the past: a window writes the messages into a log, and the memory indexes the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from actors.kernel import Host
from messages.base import Window
from messages.memory import MEMORY, IndexLog
from messages.past import KeepPast, PastKept, PastMessage
from messages.socket import Refused

BATCH = 500
"""Messages of an imported log, or a page more: some 200 kB, indexed by the memory within 100 ms."""
PATIENCE_S = 900.0
"""Longest wait for an answer; only a lost answer takes longer."""
INDEX_S = 120.0
"""Longest wait for the memory: its next comparison with the logs finds a log missed now."""

Then = Callable[[int, str], None]
"""Called with the number of new messages, and the reason if the messages could not be kept."""


class Keeper:
    """Keeps messages, a log at a time for each caller."""

    def __init__(self, host: Host, *, has_memory: bool) -> None:
        """Begin without messages.

        Args:
            host: Actor that asks.
            has_memory: True if there is a memory to tell of new logs.
        """
        self._host = host
        self._has_memory = has_memory

    def keep(self, window: Window, messages: Sequence[PastMessage], audience: str, then: Then) -> None:
        """Have a window keep messages, and the memory index the messages."""
        make = partial(KeepPast, window=window, messages=tuple(messages), audience=audience)

        def take(reply: PastKept | Refused | None) -> None:
            if isinstance(reply, PastKept):
                self._index(window, reply, then)
            else:
                then(0, "a window does not answer" if reply is None else reply.reason)

        self._host.ask(window.address, make, PATIENCE_S, take)

    def _index(self, window: Window, reply: PastKept, then: Then) -> None:
        if not reply.path or not self._has_memory:
            then(reply.kept, "")
            return
        make = partial(IndexLog, window=window, path=reply.path)
        self._host.ask(MEMORY, make, INDEX_S, lambda _reply: then(reply.kept, ""))
