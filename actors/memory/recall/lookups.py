"""Queue of lookups: searches and expansions wait here, the windows in turn, while turns are served at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from domain.policy.fair_queue import FairQueue
from messages.base import RequestId, Window
from messages.memory import DescribeMemory, ExplainMemory, IndexLog, RebuildMemory, SearchMemory
from messages.socket import Refused
from messages.turn import ExpandReference

AT_ONCE = 1
"""Lookups that are begun and not yet answered: no more can stand before a turn, here or at the embedder."""
MOST_OF_WINDOW = 16
"""Waiting at a time; a control socket lets fewer through, and people call few commands."""
PATIENCE_S = 50.0
"""Age in seconds at which a lookup is refused, not served: its caller gives up soon, or has already."""

Lookup = SearchMemory | ExpandReference


@dataclass(frozen=True, slots=True)
class _Entry:
    """A lookup, and its time of arrival."""

    request: Lookup
    came_at: float

    @property
    def request_id(self) -> RequestId:
        return self.request.request_id

    @property
    def window(self) -> Window:
        return self.request.window


class Lookups:
    """Fair queue of lookups, with bounds on how many wait and for how long."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """Empty; `monotonic` gives seconds."""
        self._monotonic = monotonic
        self._queue: FairQueue[_Entry] = FairQueue(AT_ONCE)

    def __len__(self) -> int:
        """Number of waiting and begun lookups."""
        return len(self._queue)

    def get(self, request_id: RequestId) -> Lookup | None:
        """The lookup of the given id, if not yet answered."""
        entry = self._queue.get(request_id)
        return None if entry is None else entry.request

    def refusal(self, request: Lookup) -> str:
        """Reason for refusing a lookup; empty if accepted."""
        if self._queue.waiting_of(request.window) < MOST_OF_WINDOW:
            return ""
        return f"{MOST_OF_WINDOW} lookups of this window wait for the memory already; try again later"

    def enter(self, request: Lookup) -> None:
        """Put a lookup at the end of its window's queue."""
        self._queue.enter(_Entry(request, self._monotonic()))

    def begin(self) -> tuple[Lookup, str] | None:
        """The next lookup, with the reason if expired; None if no lookup may begin now."""
        if (entry := self._queue.admit()) is None:
            return None
        is_late = self._monotonic() - entry.came_at > PATIENCE_S
        return entry.request, f"not begun within {PATIENCE_S:g} s: the memory has too many requests" if is_late else ""

    def end(self, request_id: RequestId) -> None:
        """Remove an answered lookup."""
        self._queue.leave(request_id)

    def clear(self) -> tuple[Lookup, ...]:
        """Remove and return all lookups not yet answered."""
        return tuple(entry.request for entry in self._queue.clear())


def refusal(request: Lookup | ExplainMemory | RebuildMemory | DescribeMemory | IndexLog, reason: str) -> Refused:
    """The refusal of a request."""
    return Refused(request_id=request.request_id, reason=reason)
