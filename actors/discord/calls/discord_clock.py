"""Clock of Discord's servers, as their answers tell the time: our own may be wrong by days."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp

from actors.kernel import Host, slept_seconds

_ROUNDED_S = 1.0
"""`Date` has whole seconds, rounded down."""
TRUSTED_S = 10.0
"""The steady clock tells the time that has passed since an answer; no other answer is looked at for so long."""


class DiscordClock:
    """Discord's time, by the `Date` of a recent answer and the seconds since; before the first one, our own time."""

    def __init__(self, host: Host, *, slept_s: Callable[[], float] = slept_seconds) -> None:
        """Begin without an answer.

        Args:
            host: Clocks: the wall clock counts until the first answer, the steady clock from then on.
            slept_s: Gives the seconds that the steady clock has missed so far.
        """
        self._host = host
        self._slept_s = slept_s
        self._slept_before_s = 0.0
        """Seconds missed before the answer."""
        self._offset_s: float | None = None
        """Unix time when the steady clock stood at zero."""
        self._due_at = -1.0
        """On the steady clock: from then on the next answer is looked at."""

    def now(self) -> datetime:
        """Aware UTC, never earlier than the true time, nor much more than a second later."""
        if self._offset_s is None:
            return self._host.now()
        slept_s = round(self._slept_s() - self._slept_before_s)  # in whole seconds: two clocks are not read at once
        return datetime.fromtimestamp(self._offset_s + self._host.monotonic() + slept_s, UTC)

    def earliest(self) -> datetime:
        """Aware UTC, never later than the true time, nor much more than a second earlier."""
        return self.now() - timedelta(seconds=0.0 if self._offset_s is None else _ROUNDED_S)

    def ahead(self) -> timedelta:
        """Time by which our own clock is ahead of Discord's; zero if it is behind."""
        return max(timedelta(0), self._host.now() - self.now())

    def doubt(self) -> None:
        """Check the next answer: the machine may have slept, uncounted by some systems."""
        self._due_at = -1.0

    def listen(self, http: Any) -> None:
        """Take the time now and then from answers to discord.py's HTTP client.

        discord.py passes unknown arguments to aiohttp, which awaits the given `raise_for_status` with the answer.
        A trace (`http_trace`) would report the same and cost each call a fifth of its time.
        """
        request = http.request

        def request_and_listen(*args: Any, **how: Any) -> Any:
            if self._host.monotonic() >= self._due_at:
                how["raise_for_status"] = self._take
            return request(*args, **how)

        http.request = request_and_listen

    async def _take(self, answer: aiohttp.ClientResponse) -> None:
        self.set(answer.headers.get("Date", ""))

    def set(self, date: str) -> None:
        """Take the time from an answer's `Date`; words that are no date have no effect."""
        now_s = self._host.monotonic()
        try:
            self._offset_s = parsedate_to_datetime(date).timestamp() + _ROUNDED_S - now_s
        except (ValueError, OverflowError):
            return
        self._slept_before_s = self._slept_s()
        self._due_at = now_s + TRUSTED_S
