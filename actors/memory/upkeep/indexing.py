"""Indexing of imported logs, piece by piece and behind turns."""

from __future__ import annotations

from actors.kernel import Host
from actors.memory.upkeep.backlog import Backlog
from actors.memory.upkeep.upkeep import Upkeep
from messages.base import RequestId, TurnId
from messages.memory import IndexLog, LogIndexed

GIVES_WAY_S = 0.5
"""Longest wait of a piece for turns; an answer without a call over the network takes a tenth of it.

A turn counts for as long, too: behind that it waits for its model or a command, and the processors are free.
"""
LOOKS_S = 0.02
"""Between two looks whether the turns in hand are over."""


class LogIndexing:
    """Queue of requests to index a log, one log at a time, one piece at a time.

    Each piece goes behind what came meanwhile, and waits while turns are in hand. A piece takes 10 ms of a thread, and
    a turn passes through a dozen actors: without both, answers took twice as long.
    """

    def __init__(self, host: Host, upkeep: Upkeep, backlog: Backlog) -> None:
        """Begin without requests.

        Args:
            host: Actor that is asked.
            upkeep: Has the index.
            backlog: Has vectors made of what was added.
        """
        self._host = host
        self._upkeep = upkeep
        self._backlog = backlog
        self._turns: dict[TurnId, float] = {}
        """Turn in hand -> end of its precedence."""
        self._waiting: dict[RequestId, IndexLog] = {}
        """Requests in the order of their coming; the first has its next piece on its way."""
        self._waits_until_s: float | None = None
        """Moment from which the next piece waits no longer for turns; None if it does not wait."""

    def begin_turn(self, turn_id: TurnId) -> None:
        """Note that a turn is in hand."""
        self._turns[turn_id] = self._host.monotonic() + GIVES_WAY_S

    def end_turn(self, turn_id: TurnId) -> None:
        """Note that a turn is over."""
        self._turns.pop(turn_id, None)

    def index(self, request: IndexLog) -> None:
        """Take in a request, or the next piece of the first one."""
        is_new = request.request_id not in self._waiting
        self._waiting[request.request_id] = request
        if is_new and len(self._waiting) > 1:
            return
        if self._gives_way():
            self._host.after(LOOKS_S, request)
            return
        try:
            added = self._upkeep.index_piece(request)
        except BaseException:
            self._end(request)
            raise
        if added is None:
            self._host.tell(self._host.address, request)
            return
        self._end(request)
        self._backlog.favour_fresh()
        self._host.tell(request.reply_to, LogIndexed(request_id=request.request_id, added=added))

    def _end(self, request: IndexLog) -> None:
        """Go on with the next request."""
        del self._waiting[request.request_id]
        if (following := next(iter(self._waiting.values()), None)) is not None:
            self._host.tell(self._host.address, following)

    def _gives_way(self) -> bool:
        now_s = self._host.monotonic()
        self._turns = {turn: until_s for turn, until_s in self._turns.items() if now_s < until_s}
        if self._waits_until_s is None:
            self._waits_until_s = now_s + GIVES_WAY_S
        if self._turns and now_s < self._waits_until_s:
            return True
        self._waits_until_s = None
        return False
