"""Discord's rate limits: the headers always, the limiting when asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

BUCKETS = {
    "send": (5, 5.0),
    "edit": (5, 5.0),
    "react": (1, 0.25),
    "typing": (5, 5.0),
    "other": (50, 1.0),
}
"""Bucket -> requests per seconds; Discord publishes no limits, so the figures are the community's."""
UNLIMITED = 1_000_000
_PRUNE_ABOVE = 4096


@dataclass(slots=True)
class _Window:
    used: int
    ends_at: float


@dataclass(frozen=True, slots=True)
class RateVerdict:
    """Decision on letting a request pass, and the rate headers of its answer."""

    allowed: bool
    retry_after_s: float
    headers: dict[str, str]


class RateLimiter:
    """Fixed-window rate limit per bucket and major parameter."""

    def __init__(self, clock: Callable[[], float], *, enabled: bool = False) -> None:
        """No window yet.

        Args:
            clock: Seconds since 1970.
            enabled: Whether requests are ever refused; can be changed at any time.
        """
        self._clock = clock
        self._windows: dict[tuple[str, str], _Window] = {}
        self.enabled = enabled

    def check(self, bucket: str, major: str) -> RateVerdict:
        """Count a request against the bucket.

        Args:
            bucket: A key of `BUCKETS`; others count as `other`.
            major: Channel, guild or webhook the bucket is for.
        """
        now = self._clock()
        if not self.enabled:
            return RateVerdict(True, 0.0, _headers(bucket, UNLIMITED, UNLIMITED - 1, now + 1.0, 1.0))
        limit, window_s = BUCKETS.get(bucket, BUCKETS["other"])
        window = self._windows.get((bucket, major))
        if window is None or window.ends_at <= now:
            self._prune(now)
            window = self._windows[bucket, major] = _Window(0, now + window_s)
        left_s = window.ends_at - now
        if window.used >= limit:
            headers = _headers(bucket, limit, 0, window.ends_at, left_s) | {"X-RateLimit-Scope": "user"}
            return RateVerdict(False, left_s, headers)
        window.used += 1
        return RateVerdict(True, 0.0, _headers(bucket, limit, limit - window.used, window.ends_at, left_s))

    def _prune(self, now: float) -> None:
        if len(self._windows) > _PRUNE_ABOVE:
            self._windows = {key: window for key, window in self._windows.items() if window.ends_at > now}


def _headers(bucket: str, limit: int, remaining: int, reset_at: float, reset_after_s: float) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Reset": f"{reset_at:.3f}",
        "X-RateLimit-Reset-After": f"{reset_after_s:.3f}",
        "X-RateLimit-Bucket": f"playground-{bucket}",
    }
