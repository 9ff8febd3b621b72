"""Census of a system's actors: counts of actors, waiting messages, rates and crashes, and changes between two looks.

Pure: the caller hands in the kernel's figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from messages.base import CONTEXT_KIND, Address

IDLE, BUSY, RESTING = "idle", "busy", "resting"


class Seen(NamedTuple):
    """State of an actor at a moment."""

    address: Address
    waiting: int
    """Messages in the actor's mailbox."""
    state: str
    """`idle`, `busy` or `resting` after a crash."""
    messages: int
    """Messages since the first client connected."""


class Row(NamedTuple):
    """Shown state of a window; a tuple, since a thousand are made in two milliseconds."""

    state: str
    waiting: int
    rate: float
    version: int


class Census:
    """The newest look at all actors, and the windows changed since a reader's last look."""

    def __init__(self) -> None:
        """Begin without a look."""
        self._counts: dict[Address, int] = {}
        self._at = 0.0
        self._version = 0
        self._rows: dict[str, Row] = {}
        self._gone: list[tuple[int, str]] = []
        self.kinds: list[dict[str, Any]] = []

    @property
    def version(self) -> int:
        """Of the newest look."""
        return self._version

    def take(self, seen: Iterable[Seen], counts: Mapping[str, Mapping[str, int]], at: float) -> None:
        """Take in the kernel's figures.

        Args:
            seen: All actors.
            counts: `crashes` and `restarts` by kind of actor.
            at: Seconds of the clock that never goes back.
        """
        self._version += 1
        span_s = max(at - self._at, 0.001)
        sums: dict[str, list[int]] = {}
        counted, rows = {}, {}
        before, known, is_first = self._rows, self._counts, not self._at
        for address, waiting, state, count in seen:
            kind = address.kind
            counted[address] = count
            fresh = 0 if is_first else count - known.get(address, 0)
            total = sums.get(kind)
            if total is None:
                total = sums[kind] = [0, 0, 0, 0, 0]
            total[0] += 1
            total[1] += waiting
            total[2] += state is BUSY
            total[3] += fresh
            total[4] += state is RESTING
            if kind == CONTEXT_KIND:
                key, rate = address.key, round(fresh / span_s, 1)
                row = before.get(key)
                is_same = row is not None and row[0] is state and row[1] == waiting and row[2] == rate
                rows[key] = row if row is not None and is_same else Row(state, waiting, rate, self._version)
        self._gone += [(self._version, key) for key in self._rows if key not in rows]
        self._gone = self._gone[-len(rows) - 1000 :]
        self._counts, self._rows, self._at = counted, rows, at
        crashes, restarts = counts.get("crashes", {}), counts.get("restarts", {})
        self.kinds = [
            {
                "kind": kind,
                "alive": alive,
                "waiting": waiting,
                "busy": busy,
                "resting": resting,
                "rate": round(fresh / span_s, 1),
                "crashes": crashes.get(kind, 0),
                "restarts": restarts.get(kind, 0),
            }
            for kind in sorted(sums.keys() | crashes.keys())
            for alive, waiting, busy, fresh, resting in (sums.get(kind, (0, 0, 0, 0, 0)),)
        ]

    def changes(self, since: int) -> dict[str, Any]:
        """Windows that changed or went after version `since`; all windows after version 0."""
        rows = {
            key: [row.state, row.waiting, row.rate]
            for key, row in self._rows.items()
            if row.version > since or not since
        }
        gone = [key for version, key in self._gone if version > since and key not in self._rows] if since else []
        return {"all": not since, "rows": rows, "gone": gone, "count": len(self._rows)}
