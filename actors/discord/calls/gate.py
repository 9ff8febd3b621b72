"""Circuit breaker of all calls: open during a ban by Discord's network, closed again by one probe call.

Discord answers an ordinary rate limit through its own proxies, and discord.py waits as told. An answer without the
proxies is a ban of the whole address: each call made meanwhile prolongs the ban, and ten thousand refused calls in ten
minutes cause a ban. discord.py raises an answer of a ban at once.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import discord

from actors.discord.calls.parsing import UnreadableAnswerError, fault_of
from actors.discord.calls.refusals import body_of

log = logging.getLogger(__name__)

LONGEST_S = 3_600.0
"""A call an hour does no harm, whatever a server asks for."""
UNTOLD_S = 5.0
"""First pause where the server does not say how long."""
_EXPECTED = (discord.DiscordException, OSError, TimeoutError, RuntimeError)
"""Exceptions that discord.py's HTTP client raises on purpose; aiohttp's errors are recognized by their module."""


class Gate:
    """Circuit breaker of calls; lives on the loop and outlives each client."""

    def __init__(self) -> None:
        """Open."""
        self._shut_until = 0.0
        """On the loop's clock."""
        self._times = 0
        """Times in a row that the circuit breaker opened; 0 while calls may pass."""
        self._goes_first = False
        """True while the probe call is under way."""
        self._changed = asyncio.Event()
        self.refused = 0
        """Number of calls answered with a ban."""

    @property
    def is_shut(self) -> bool:
        """True if calls are banned, or the end of the ban is not confirmed yet."""
        return self._times > 0

    def left_s(self) -> float:
        """Seconds until a call may be made."""
        return max(0.0, self._shut_until - asyncio.get_running_loop().time()) if self._times else 0.0

    async def wait_until_open(self) -> None:
        """Return when a call may be made."""
        while self._times:
            if (left_s := self.left_s()) > 0:
                await asyncio.sleep(left_s)
            elif self._goes_first:
                self._changed.clear()
                await self._changed.wait()
            else:
                return

    def enter(self) -> int:
        """Begin a call; return the argument for leaving.

        Raises:
            discord.RateLimited: no call may be made.
        """
        if (left_s := self.left_s()) > 0 or self._goes_first:
            raise discord.RateLimited(max(left_s, 1.0))
        self._goes_first = self._times > 0
        return self._times

    def leave(self, entered: int, *, told_s: float | None = None, is_refused: bool = False) -> None:
        """End a call.

        Args:
            entered: Result of `enter`.
            told_s: After how long the server would answer, by its own words.
            is_refused: True if the answer was a ban.
        """
        if is_refused:
            self._shut(entered, told_s)
        elif entered == self._times:
            self._times = 0
        if entered:
            self._goes_first = False
        self._changed.set()

    def _shut(self, entered: int, told_s: float | None) -> None:
        """Block calls for a while, longer each time in a row; calls that began together count as one."""
        self.refused += 1
        if entered == self._times:
            self._times += 1
        asked_s = told_s if told_s is not None and math.isfinite(told_s) and told_s > 0 else UNTOLD_S
        pause_s = min(LONGEST_S, asked_s * 2.0 ** min(self._times - 1, 16))
        until = asyncio.get_running_loop().time() + pause_s
        if until > self._shut_until:
            self._shut_until = until
            log.warning("Discord has banned this address: no call for %.1f s", pause_s)


def guard(http: Any, gate: Gate) -> None:
    """Make discord.py's HTTP client call only while `gate` allows calls, and fail in expected ways only.

    An answer that the client cannot read becomes an `UnreadableAnswerError`, a fault that may pass.
    """
    request = http.request

    async def call_guarded(*args: Any, **how: Any) -> Any:
        entered, told_s, is_refused = gate.enter(), None, False
        try:
            return await request(*args, **how)
        except discord.HTTPException as error:
            is_refused = is_ban(error)
            told_s = retry_after_s(error) if is_refused else None
            raise
        except Exception as error:
            if isinstance(error, _EXPECTED) or type(error).__module__.startswith("aiohttp"):
                raise
            raise UnreadableAnswerError(f"Discord's answer could not be read: {fault_of(error)}") from error
        finally:
            gate.leave(entered, told_s=told_s, is_refused=is_refused)

    http.request = call_guarded


def is_ban(error: discord.HTTPException) -> bool:
    """True if a 429 is a ban of the address; False for Discord's own rate limits, since discord.py waits by itself."""
    return error.status == 429 and (not _headers(error).get("Via") or not isinstance(body_of(error), dict))


def retry_after_s(error: discord.HTTPException) -> float | None:
    """Seconds until the server answers again: the longest wait in its headers and body; None without any."""
    headers, body = _headers(error), body_of(error)
    waits_s = [_seconds(headers.get("Retry-After")), _until(headers)]
    if isinstance(body, dict):
        waits_s.append(_seconds(body.get("retry_after")))
    return max((seconds for seconds in waits_s if seconds is not None), default=None)


def _headers(error: discord.HTTPException) -> Mapping[str, str]:
    return getattr(error.response, "headers", None) or {}


def _seconds(value: object) -> float | None:
    try:
        seconds = float(value) if isinstance(value, str | int | float) else math.nan
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(headers: Mapping[str, str]) -> float | None:
    """Seconds from the answer's time to the instant that `Retry-After` may name instead."""
    try:
        span: timedelta = parsedate_to_datetime(headers["Retry-After"]) - parsedate_to_datetime(headers["Date"])
    except (KeyError, ValueError, TypeError):
        return None
    return max(0.0, span.total_seconds())
