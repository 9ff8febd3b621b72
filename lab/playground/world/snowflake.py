"""Snowflakes: ids that increase and tell the time, like Discord's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

DISCORD_EPOCH_MS = 1_420_070_400_000
"""First millisecond of 2015, UTC."""


class SnowflakeSource:
    """Strictly increasing ids, whatever the clock does."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """No id yet.

        Args:
            clock: Seconds since 1970.
        """
        self._clock = clock
        self._last = 0

    def next(self) -> int:
        """Id greater than every earlier id."""
        self._last = max(self._last + 1, snowflake_at(self._clock()))
        return self._last


def snowflake_at(time_s: float) -> int:
    """Least id of an instant in seconds since 1970."""
    return (int(time_s * 1000) - DISCORD_EPOCH_MS) << 22


def iso(time_s: float) -> str:
    """Seconds since 1970 as Discord writes an instant, UTC."""
    return datetime.fromtimestamp(time_s, UTC).isoformat()
