"""Client of the object store: one question at a time, each with a deadline."""

from __future__ import annotations

import logging
from collections.abc import Callable

from actors.kernel import Host, Timer
from messages.base import Address, Message, RequestId
from messages.object_store import StoreReply
from messages.objects import StoreDue
from messages.socket import Refused

log = logging.getLogger(__name__)

SILENT_S = 0.02
"""How long a request waits for a store that did not answer the one before."""
Answer = StoreReply | Refused
Then = Callable[[Answer | None], None]


class StoreClient:
    """Asker on behalf of one window; what comes late means nothing any more."""

    def __init__(self, host: Host, store: Address) -> None:
        """Nothing is asked.

        Args:
            host: The actor that it asks for.
            store: Whom it asks.
        """
        self._host = host
        self._store = store
        self._request_id = RequestId("")
        self._then: Then | None = None
        self._timer: Timer | None = None
        self.trouble = ""
        """Why the last question had no use; empty if it had."""
        self._is_silent = False

    @property
    def is_waiting(self) -> bool:
        """Whether a question is open."""
        return self._then is not None

    def patience_s(self, deadline_s: float) -> float:
        """How long a request may wait: not long again for a store that was silent last time."""
        return min(deadline_s, SILENT_S) if self._is_silent else deadline_s

    def inquire(self, build: Callable[[RequestId], Message], deadline_s: float, then: Then) -> None:
        """Ask, and go on when the answer is there.

        Args:
            build: Makes the question from its id.
            deadline_s: How long to wait.
            then: Called with the answer; with None when it did not come in time.
        """
        if self._then is not None:
            raise RuntimeError("the store is asked one thing at a time")
        self._request_id, self._then = RequestId(self._host.new_id()), then
        self._host.tell(self._store, build(self._request_id))
        self._timer = self._host.after(deadline_s, StoreDue(request_id=self._request_id))

    def heard(self, reply: Answer | StoreDue) -> None:
        """Go on with an answer, or without one; what belongs to an earlier question changes nothing."""
        if self._then is None or reply.request_id != self._request_id:
            # A store that is late is slow, and not silent: the next question waits for it as long as it may.
            self._is_silent = self._is_silent and isinstance(reply, StoreDue)
            return
        if self._timer is not None:
            self._timer.cancel()
        then, self._then, self._timer = self._then, None, None
        self._note(reply)
        then(None if isinstance(reply, StoreDue) else reply)

    def _note(self, reply: Answer | StoreDue) -> None:
        """Say once that nothing can be kept, and once that it can again."""
        self._is_silent = isinstance(reply, StoreDue)
        match reply:
            case StoreDue():
                trouble = "it did not answer in time"
            case Refused():
                trouble = reply.reason
            case _:
                trouble = ""
        if trouble and not self.trouble:
            log.info("%s: the object store: %s", self._host.address, trouble)
        self.trouble = trouble
