"""Pauses before reconnections: short while Discord is unreachable, long where sessions would be used up."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Any

import discord.client
import discord.shard
from discord.backoff import ExponentialBackoff

from actors.discord.timing import Timing, backoff


class Pauses:
    """Wait before each connection; lives on the loop and outlives each client.

    Discord allows some 1,000 sessions a day. A refused connection uses up none, so the next attempt may follow soon;
    only where sockets are opened and do not last, the pauses grow until a day's sessions are enough for a day.
    """

    def __init__(self, timing: Timing) -> None:
        """Begin without failures.

        Args:
            timing: `session_timeout_s` is the shortest life of a healthy socket.
        """
        self._timing = timing
        self._opened_at: float | None = None
        """Time at which the newest socket opened, on the loop's clock; None once a pause has counted the socket."""
        self._refused = 0
        """Pauses in a row without a session begun before."""
        self._short_lived = 0
        """Number of short-lived sockets in a row, each perhaps with a session of its own."""

    def note_opened(self) -> None:
        """Note an opened socket."""
        self._opened_at = asyncio.get_running_loop().time()

    def note_resumed(self) -> None:
        """Note a resumed session in the new socket; resuming used up no session start."""
        self._opened_at, self._short_lived = None, 0

    def next_s(self) -> float:
        """Seconds to wait before the next connection; each asking is a failure of the last."""
        timing, opened_at, self._opened_at = self._timing, self._opened_at, None
        if opened_at is None:
            self._refused += 1
        else:
            self._refused = 1
            lasted = asyncio.get_running_loop().time() - opened_at > timing.session_timeout_s
            self._short_lived = 0 if lasted else self._short_lived + 1
        refused_s = backoff(self._refused, timing.reconnect_backoff_s, timing.reconnect_refused_limit_s)
        if self._short_lived <= 1:
            return refused_s
        return max(refused_s, backoff(self._short_lived, timing.reconnect_backoff_s, timing.reconnect_backoff_limit_s))


_PAUSES: ContextVar[Pauses | None] = ContextVar("pauses", default=None)
"""Pauses for the clients made and connected by the running task."""


class ReconnectPauses(ExponentialBackoff[Any]):
    """discord.py's pauses between its own attempts: as `Pauses` says, where the task was told of some.

    discord.py 2.7 waits at random up to 1,024 s, and forgets earlier failures after half an hour only.
    """

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self._pauses = in_use()

    def delay(self) -> Any:
        """Seconds until the next attempt."""
        return super().delay() if self._pauses is None else self._pauses.next_s()


for _module in (discord.client, discord.shard):
    setattr(_module, ExponentialBackoff.__name__, ReconnectPauses)


def use(pauses: Pauses) -> None:
    """Have the clients made and connected by the running task wait as `pauses` says."""
    _PAUSES.set(pauses)


def in_use() -> Pauses | None:
    """Pauses that the running task uses; None without any."""
    return _PAUSES.get()
