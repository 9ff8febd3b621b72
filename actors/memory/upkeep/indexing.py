"""Indexing of imported logs, piece by piece and behind turns."""

from __future__ import annotations

from actors.kernel import Host
from actors.memory.upkeep.backlog import Backlog
from actors.memory.upkeep.giving_way import GIVES_WAY_S, LOOKS_S, GivingWay, TurnsInHand
from actors.memory.upkeep.upkeep import Upkeep
from messages.base import RequestId
from messages.memory import IndexLog, LogIndexed


class LogIndexing:
    """Queue of requests to index a log, a log at a time, a piece at a time.

    Each piece goes behind messages that came meanwhile, and waits while turns are in hand. A piece takes 10 ms of a
    thread, and a turn passes through a dozen actors: without both rules, answers took twice as long.
    """

    def __init__(self, host: Host, upkeep: Upkeep, backlog: Backlog, turns: TurnsInHand) -> None:
        """Begin without requests.

        Args:
            host: Actor that gets the requests.
            upkeep: Has the index.
            backlog: Has vectors made of added turns.
            turns: Turns with precedence.
        """
        self._host = host
        self._upkeep = upkeep
        self._backlog = backlog
        self._waiting: dict[RequestId, IndexLog] = {}
        """Requests in order of arrival; the next piece of the first is on its way."""
        self._way = GivingWay(turns, GIVES_WAY_S)

    def index(self, request: IndexLog) -> None:
        """Take in a request, or the next piece of the first request."""
        is_new = request.request_id not in self._waiting
        self._waiting[request.request_id] = request
        if is_new and len(self._waiting) > 1:
            return
        if self._way.must_wait():
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
