"""Rate limits kept by discord.py: cleared seldom, and only of expired limits."""

from __future__ import annotations

import asyncio
from typing import Any

LEAST_CLEARED = 1024
"""Number of rate limits kept before any are checked."""
KEPT_LIMIT_S = 10.0
"""Seconds to keep a rate limit after its last use; a limit with an announced end is kept until then."""


def clear_seldom(http: Any) -> None:
    """Have discord.py's HTTP client look for rate limits to forget only when their number has doubled.

    discord.py 2.7 looks through all limits at each new limit beyond 256: at 1,500 busy threads the search took a tenth
    of the agent's time, and the cost grows with the square of the number of limits. discord.py also keeps each limit
    for five minutes, over a kilobyte for a thread in which the bot typed and wrote; an expired limit without waiters is
    useless.
    """
    limit = LEAST_CLEARED

    def clear_when_doubled() -> None:
        nonlocal limit
        buckets = http._buckets
        if len(buckets) >= limit:
            now = asyncio.get_running_loop().time()
            for key in [key for key, bucket in buckets.items() if _says_nothing(bucket, now)]:
                del buckets[key]
            limit = max(LEAST_CLEARED, 2 * len(buckets))

    http._try_clear_expired_ratelimits = clear_when_doubled


def _says_nothing(bucket: Any, now: float) -> bool:
    """True if a rate limit is expired, unused for a while and without waiters, so the next call passes."""
    is_waited_for = bucket.outgoing or bucket._pending_requests or bucket._sleeping.locked()
    is_over = bucket.expires is None or bucket.expires < now
    return is_over and not is_waited_for and now - bucket._last_request >= KEPT_LIMIT_S
