"""Client of the object store: one question at a time, each with a deadline."""

from __future__ import annotations

import logging
from collections.abc import Callable

from actors.kernel import Host, MakeQuestion
from messages.base import Address
from messages.objects import StoreReply
from messages.socket import Refused

log = logging.getLogger(__name__)

SILENT_S = 0.02
"""Longest wait in seconds for a store that did not answer the previous request."""
Answer = StoreReply | Refused
Then = Callable[[Answer | None], None]


class StoreClient:
    """Client on behalf of a window."""

    def __init__(self, host: Host, store: Address) -> None:
        """Begin without a question.

        Args:
            host: The asking actor.
            store: Address of the store.
        """
        self._host = host
        self._store = store
        self.is_waiting = False
        """True while a question is open."""
        self.trouble = ""
        """Reason why the last question had no use; empty after a useful question."""
        self._is_silent = False

    def patience_s(self, deadline_s: float) -> float:
        """Compute the wait for a request in seconds: short for a store that was silent last time."""
        return min(deadline_s, SILENT_S) if self._is_silent else deadline_s

    def inquire(self, make: MakeQuestion, deadline_s: float, then: Then) -> None:
        """Ask, and go on with the answer.

        Args:
            make: Builds the question.
            deadline_s: Longest wait in seconds.
            then: Called with the answer; with None at the deadline.
        """
        if self.is_waiting:
            raise RuntimeError("the store is asked one thing at a time")
        self.is_waiting = True

        def go_on(reply: Answer | None) -> None:
            self.is_waiting = False
            self._note_reply(reply)
            then(reply)

        self._host.ask(self._store, make, deadline_s, go_on)

    def note_late_reply(self) -> None:
        """Take the store for slow, not silent: the next question waits for the whole deadline."""
        self._is_silent = False

    def _note_reply(self, reply: Answer | None) -> None:
        """Log the first failure after a success."""
        self._is_silent = reply is None
        trouble = "it did not answer in time" if reply is None else reply.reason if isinstance(reply, Refused) else ""
        if trouble and not self.trouble:
            log.info("%s: the object store: %s", self._host.address, trouble)
        self.trouble = trouble
