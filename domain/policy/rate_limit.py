"""Sliding-window rate limit per person or window: how much each may ask for in a while."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field

_KEYS = 10_000
"""Most people or windows to remember; the keys silent for the longest time are forgotten first."""


@dataclass(slots=True)
class _KeyActs:
    """Acts of one key."""

    acts: deque[tuple[float, int]] = field(default_factory=deque)
    """Time and weight of each."""
    weight: int = 0
    """Of all together."""

    def add(self, at_s: float, weight: int) -> None:
        self.acts.append((at_s, weight))
        self.weight += weight

    def forget(self, until_s: float) -> None:
        while self.acts and self.acts[0][0] <= until_s:
            self.weight -= self.acts.popleft()[1]


class RateLimit:
    """Sliding-window rate limit: acts of one key together weigh at most `limit` within any `window_s` seconds."""

    def __init__(self, limit: int, window_s: float) -> None:
        if limit < 1 or window_s <= 0:
            raise ValueError(f"limit {limit} must be >= 1 and window_s {window_s} > 0")
        self.limit = limit
        self.window_s = window_s
        self._acts_by_key: OrderedDict[str, _KeyActs] = OrderedDict()

    def take(self, key: str, now_s: float, weight: int = 1) -> float:
        """Count one act of `key`, unless the act exceeds the limit.

        Args:
            key: The id of a person or window.
            now_s: On any clock that never goes back.
            weight: Weight of the act, from 1 to the limit.

        Returns:
            0 when the act is allowed; otherwise the seconds until an act would be allowed again.

        Raises:
            ValueError: the weight exceeds the limit, or is below 1.
        """
        if not 1 <= weight <= self.limit:
            raise ValueError(f"weight {weight} must be 1 to {self.limit}")
        acts = self._acts_by_key.setdefault(key, _KeyActs())
        self._acts_by_key.move_to_end(key)
        acts.forget(now_s - self.window_s)
        excess = acts.weight + weight - self.limit
        if excess > 0:
            return self._wait(acts.acts, excess, now_s)
        acts.add(now_s, weight)
        if len(self._acts_by_key) > _KEYS:
            self._acts_by_key.popitem(last=False)
        return 0.0

    def _wait(self, acts: deque[tuple[float, int]], excess: int, now_s: float) -> float:
        """Seconds until so much of `acts` is over."""
        for at, weight in acts:
            excess -= weight
            if excess <= 0:
                return at + self.window_s - now_s
        raise AssertionError(f"{excess} of a weight within the limit cannot be left")
