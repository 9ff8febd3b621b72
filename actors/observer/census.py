"""Census of a system's actors: how many live, what waits, how much they are told, and what crashed; and its changes.

Pure: what the kernel says is handed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from messages.base import CONTEXT_KIND, Address

IDLE, BUSY, RESTING = "idle", "busy", "resting"


@dataclass(frozen=True, slots=True)
class Seen:
    """One actor at one moment."""

    address: Address
    waiting: int
    """Messages in its mailbox."""
    state: str
    """`idle`, `busy` or `resting` after a crash."""
    told: int
    """Messages since somebody began to look."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is shown of a window."""

    state: str
    waiting: int
    rate: float
    version: int


class Census:
    """The newest look at all actors, and which windows have changed since a reader's last."""

    def __init__(self) -> None:
        """Nothing was looked at."""
        self._told: dict[Address, int] = {}
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
        """Take in what the kernel says.

        Args:
            seen: All actors.
            counts: `crashes` and `restarts` by kind of actor.
            at: Seconds of the clock that never goes back.
        """
        self._version += 1
        span_s = max(at - self._at, 0.001)
        alive, waiting, busy, rates = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
        told, rows = {}, {}
        for each in seen:
            kind, address = each.address.kind, each.address
            told[address] = each.told
            fresh = each.told - self._told.get(address, each.told if not self._at else 0)
            alive[kind] += 1
            waiting[kind] += each.waiting
            busy[kind] += each.state == BUSY
            rates[kind] += fresh
            if kind == CONTEXT_KIND:
                rows[address.key] = self._row(each, round(fresh / span_s, 1))
        self._gone += [(self._version, key) for key in self._rows if key not in rows]
        self._gone = self._gone[-len(rows) - 1000 :]
        self._told, self._rows, self._at = told, rows, at
        crashes, restarts = counts.get("crashes", {}), counts.get("restarts", {})
        self.kinds = [
            {
                "kind": kind,
                "alive": alive[kind],
                "waiting": waiting[kind],
                "busy": busy[kind],
                "rate": round(rates[kind] / span_s, 1),
                "crashes": crashes.get(kind, 0),
                "restarts": restarts.get(kind, 0),
            }
            for kind in sorted(alive.keys() | crashes.keys())
        ]

    def changes(self, since: int) -> dict[str, Any]:
        """Windows that changed after version `since`, and those that are gone; all of them after version 0."""
        rows = {
            key: [row.state, row.waiting, row.rate]
            for key, row in self._rows.items()
            if row.version > since or not since
        }
        gone = [key for version, key in self._gone if version > since and key not in self._rows] if since else []
        return {"all": not since, "rows": rows, "gone": gone, "count": len(self._rows)}

    def _row(self, seen: Seen, rate: float) -> Row:
        before = self._rows.get(seen.address.key)
        if before is not None and (before.state, before.waiting, before.rate) == (seen.state, seen.waiting, rate):
            return before
        return Row(seen.state, seen.waiting, rate, self._version)
