"""Sliding-window rate limit per person: how much each may ask for in a while."""

from __future__ import annotations

from collections import OrderedDict, deque

_PEOPLE = 10_000
"""Most people that are kept in mind; the ones who have been silent longest are forgotten first."""


class RateLimit:
    """Sliding-window rate limit: at most `limit` acts of one person within any `window_s` seconds."""

    def __init__(self, limit: int, window_s: float) -> None:
        if limit < 1 or window_s <= 0:
            raise ValueError(f"limit {limit} must be >= 1 and window_s {window_s} > 0")
        self.limit = limit
        self.window_s = window_s
        self._acts: OrderedDict[str, deque[float]] = OrderedDict()

    def take(self, person: str, now_s: float) -> float:
        """Count one act of `person`, unless that would be too many.

        Args:
            person: Their id.
            now_s: On any clock that never goes back.

        Returns:
            0 when it is allowed; otherwise the seconds until one would be again.
        """
        acts = self._acts.setdefault(person, deque())
        self._acts.move_to_end(person)
        while acts and acts[0] <= now_s - self.window_s:
            acts.popleft()
        if len(acts) >= self.limit:
            return acts[0] + self.window_s - now_s
        acts.append(now_s)
        if len(self._acts) > _PEOPLE:
            self._acts.popitem(last=False)
        return 0.0
