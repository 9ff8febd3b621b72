"""Cache of control sockets: each door is asked for once and kept for as long as it is known to be open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from messages.base import Window
from messages.shell import RunBash
from messages.socket import DoorOpen, Refused

log = logging.getLogger(__name__)

AskDoor = Callable[[RunBash], asyncio.Future[DoorOpen | Refused]]
"""Asks for the control socket of the command's window; called on the loop."""
ANSWER_S = 2.0
"""Longest wait in seconds for the answer; without an answer the command runs without a socket."""
ENDING_S = 5.0
"""Seconds beyond the timeout for which a command may need its socket."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Lease of an open control socket."""

    path: str
    """Path of the socket; empty without a socket."""
    ends_at: float
    """End of the certain lease, on the loop's clock."""

    def is_good_until(self, moment: float) -> bool:
        """True if the socket exists and stays open until `moment`."""
        return self.ends_at >= moment and Path(self.path).exists()


NO_DOOR = Lease("", 0.0)


class DoorCache:
    """Leases of control sockets, a lease for each window and each of its lanes. All methods are for the loop's thread.

    A socket closes after long disuse, and all sockets close when their actor restarts. So a lease is good for a command
    only if it outlasts the command's timeout, counted from the moment of the question, and if the socket still
    exists: an actor removes old sockets at its start and at its stop. Otherwise a new socket is requested.
    """

    def __init__(self, ask: AskDoor, answer_s: float = ANSWER_S) -> None:
        """No lease yet.

        Args:
            ask: Asks for a control socket.
            answer_s: Longest wait for the answer.
        """
        self._ask = ask
        self._answer_s = answer_s
        self._leases: dict[tuple[Window, bool], Lease] = {}

    def __len__(self) -> int:
        """Number of leases."""
        return len(self._leases)

    async def door(self, request: RunBash, timeout_s: float) -> str:
        """Path of a socket that stays open until `request` has ended; empty if no socket is opened in time."""
        loop = asyncio.get_running_loop()
        needed_until = loop.time() + timeout_s + ENDING_S
        entrance = (request.window, bool(request.lane))
        lease = self._leases.get(entrance, NO_DOOR)
        if lease.is_good_until(needed_until):
            return lease.path
        self._forget_ended(loop.time())
        self._leases.pop(entrance, None)
        asked_at = loop.time()
        path, open_s = await self._answer(request)
        if path:
            self._leases[entrance] = Lease(path, asked_at + open_s)
        return path

    async def _answer(self, request: RunBash) -> tuple[str, float]:
        try:
            answer = await asyncio.wait_for(self._ask(request), self._answer_s)
        except TimeoutError:
            log.warning(
                "a command runs without the control socket: the socket was not opened within %g s", self._answer_s
            )
            return "", 0.0
        return (answer.path, answer.open_s) if isinstance(answer, DoorOpen) else ("", 0.0)

    def _forget_ended(self, now: float) -> None:
        for entrance in [entrance for entrance, lease in self._leases.items() if lease.ends_at <= now]:
            del self._leases[entrance]
