"""Session state by shard: connections with a session, and connections still learning their servers."""

from __future__ import annotations

import asyncio

_LAUNCH = -1


class Shards:
    """Sessions of one client, by the number of their connection; lives on the loop."""

    def __init__(self, count: int | None, timeout_s: float) -> None:
        """Begin without sessions.

        Args:
            count: Number of connections; None while unknown.
            timeout_s: Longest time for a connection without a session, and for the next connection to open.
        """
        self.count = count
        self._timeout_s = timeout_s
        self._opened: set[int] = set()
        self._unready: set[int] = set()
        self._lost: dict[int, float] = {}
        """Connection, or opening of the remaining connections -> start of the time without a session, on the loop's
        clock."""
        self._changed = asyncio.Event()

    @property
    def are_ready(self) -> bool:
        """True if every connection has had a session, and the servers of the newest session of each are known."""
        return len(self._opened) == self.count and not self._unready

    @property
    def are_connected(self) -> bool:
        """True if Discord's events arrive: every connection has a session, and the session's servers are known."""
        return self.are_ready and not self._lost

    def launch(self) -> None:
        """The first connection is being made."""
        self._lose(_LAUNCH)

    def note_session(self, shard: int) -> None:
        """Note a new session; the session's servers will follow."""
        self._opened.add(shard)
        self._unready.add(shard)
        self.note_resumed(shard)
        if len(self._opened) == self.count:
            self._lost.pop(_LAUNCH, None)
        elif _LAUNCH in self._lost:
            self._lost[_LAUNCH] = _now()

    def note_resumed(self, shard: int) -> None:
        """Note a resumed session."""
        self._lost.pop(shard, None)
        self._changed.set()

    def note_lost(self, shard: int) -> None:
        """Note a lost connection."""
        self._lose(shard)

    def ready(self, shard: int | None = None) -> None:
        """Note that the servers of a connection are known; without a connection, the servers of all."""
        if shard is None:
            self._unready.clear()
        else:
            self._unready.discard(shard)

    async def has_lost_one(self) -> None:
        """Return when a connection has had no session for longer than a session takes to open."""
        while True:
            self._changed.clear()
            due = min(self._lost.values(), default=None)
            try:
                async with asyncio.timeout_at(None if due is None else due + self._timeout_s):
                    await self._changed.wait()
            except TimeoutError:
                return

    def _lose(self, shard: int) -> None:
        self._lost.setdefault(shard, _now())
        self._changed.set()


def _now() -> float:
    return asyncio.get_running_loop().time()
