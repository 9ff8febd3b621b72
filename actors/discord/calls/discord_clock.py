"""Clock of Discord's servers, as their answers tell the time: our own may be wrong by days."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import aiohttp

from actors.kernel import Host

_ROUNDED_S = 1.0
"""`Date` has whole seconds, those that have passed."""


class DiscordClock:
    """Discord's time, by the `Date` of the newest answer and the seconds since; before the first one, our own time."""

    def __init__(self, host: Host) -> None:
        """No answer came yet.

        Args:
            host: Its clocks: the wall's counts until then, the steady one from then on.
        """
        self._host = host
        self._offset_s: float | None = None
        """Unix time when the steady clock stood at zero."""

    def now(self) -> datetime:
        """Aware UTC, never earlier than it is, nor much more than a second later."""
        if self._offset_s is None:
            return self._host.now()
        return datetime.fromtimestamp(self._offset_s + self._host.monotonic(), UTC)

    def trace(self) -> aiohttp.TraceConfig:
        """What a session tells this clock of its answers."""
        config = aiohttp.TraceConfig()
        config.on_request_end.append(self._take)
        return config

    async def _take(self, _session: object, _context: object, end: aiohttp.TraceRequestEndParams) -> None:
        self.set(end.response.headers.get("Date", ""))

    def set(self, date: str) -> None:
        """Take the time that an answer's `Date` gives; words that are no date change nothing."""
        try:
            self._offset_s = parsedate_to_datetime(date).timestamp() + _ROUNDED_S - self._host.monotonic()
        except (ValueError, OverflowError):
            return
