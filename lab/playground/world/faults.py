"""Faults to inject into REST calls: kind, place and number."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum


class FaultKind(StrEnum):
    """Kind of a fault."""

    LIMIT_USER = "429-user"
    LIMIT_GLOBAL = "429-global"
    LIMIT_WITHOUT_VIA = "429-without-via"
    ERROR_500 = "500"
    ERROR_502 = "502"
    ERROR_503 = "503"
    ERROR_504 = "504"
    HTML = "html"
    """An HTML page instead of JSON, with `status`."""
    REFUSED = "refused"
    """Discord's own words of a refusal, with `status`."""
    DELAY = "delay"
    """The work is done after `delay_s`, or once the faults are cleared."""
    ABORT_BEFORE = "abort-before"
    """Connection reset before any work."""
    ABORT_AFTER = "abort-after"
    """Work done, answer lost."""
    UNREADABLE = "unreadable"
    """Work done; the answer holds only an id, or another value in place of a list."""
    NO_CONTENT = "no-content"
    """Work done; the answer is a 204."""
    TRUNCATED = "truncated"
    """Work done, with the end of the answer missing."""


@dataclass(slots=True)
class Fault:
    r"""Armed fault.

    Attributes:
        pattern: Searched in `METHOD /path`, such as `POST /channels/\d+/messages$` (the API prefix is left out).
        times: Number of further requests to hit.
        delay_s: For `delay`.
        retry_after_s: For the 429s, including `html`.
        status: For `html` and `refused`.
        code: For `refused`.
        named: For `refused`: the field of the request at fault; empty without a field.
        cleared: Set when the faults are cleared, to end a delay.
    """

    kind: FaultKind
    pattern: re.Pattern[str]
    times: int = 1
    delay_s: float = 0.0
    retry_after_s: float = 0.3
    status: int = 502
    code: int = 0
    named: str = ""
    cleared: asyncio.Event = field(default_factory=asyncio.Event)

    async def delay(self) -> None:
        """Return after `delay_s`, or once the faults are cleared."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.cleared.wait(), self.delay_s)


@dataclass(slots=True)
class FaultQueue:
    """The armed faults, first match first."""

    _armed: list[Fault] = field(default_factory=list)
    _delays: list[Fault] = field(default_factory=list)
    chooser: Callable[[str], Fault | None] | None = None
    """Chooser for requests without an armed fault, called with `METHOD /path`."""
    fired: int = 0
    """Number of requests hit so far."""

    def inject(
        self,
        kind: str,
        match: str = "",
        times: int = 1,
        *,
        delay_s: float = 0.0,
        retry_after_s: float = 0.3,
        status: int = 502,
        code: int = 0,
        named: str = "",
    ) -> Fault:
        """Arm a fault; see `Fault` for the arguments.

        Raises:
            ValueError: On an unknown kind, a broken pattern, or numbers out of range.
        """
        if kind not in tuple(FaultKind):
            raise ValueError(f"fault kind {kind!r}: must be one of {', '.join(FaultKind)}")
        if times < 1 or delay_s < 0 or retry_after_s < 0 or not 200 <= status <= 599:
            raise ValueError(
                f"fault times={times}, delay_s={delay_s}, retry_after_s={retry_after_s}, status={status}: "
                "times >= 1, seconds >= 0, status 200-599"
            )
        try:
            pattern = re.compile(match)
        except re.error as error:
            raise ValueError(f"fault match {match!r}: not a regular expression ({error})") from error
        fault = Fault(FaultKind(kind), pattern, times, delay_s, retry_after_s, status, code, named)
        self._armed.append(fault)
        if fault.kind is FaultKind.DELAY:
            self._delays.append(fault)
        return fault

    def take(self, method: str, path: str) -> Fault | None:
        """Fault for this request, counted; None without a fault."""
        if not self._armed and self.chooser is None:
            return None
        request = f"{method} {path}"
        for fault in self._armed:
            if fault.pattern.search(request):
                fault.times -= 1
                self.fired += 1
                if fault.times == 0:
                    self._armed.remove(fault)
                return fault
        chosen = self.chooser(request) if self.chooser is not None else None
        self.fired += chosen is not None
        return chosen

    def clear(self) -> None:
        """Disarm all faults, and end lasting delays."""
        for fault in self._delays:
            fault.cleared.set()
        self._delays.clear()
        self._armed.clear()
        self.chooser = None

    def __len__(self) -> int:
        return len(self._armed)
