"""Event loops whose time need not be waited for."""

from __future__ import annotations

import asyncio
import selectors


class JumpingLoop(asyncio.SelectorEventLoop):
    """Event loop whose time can be put forward."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead_s = 0.0

    def time(self) -> float:
        """The machine's time, and the seconds that were jumped over."""
        return super().time() + self._ahead_s

    def jump(self, seconds: float) -> None:
        """Let time pass at once."""
        self._ahead_s += seconds


class DrivenLoop(asyncio.SelectorEventLoop):
    """Event loop whose time passes only when nothing else is to be done, at once to the next timer."""

    def __init__(self) -> None:
        super().__init__(_Impatient(self))
        self._now_s = 0.0

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._now_s

    def pass_time(self, seconds: float) -> None:
        """Let time pass at once."""
        self._now_s += seconds


class _Impatient(selectors.DefaultSelector):
    """Selector that has time pass instead of waiting for it."""

    def __init__(self, loop: DrivenLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Events at this moment; before a wait without end, events of any moment."""
        if timeout:
            self._loop.pass_time(timeout)
            timeout = 0
        return list(super().select(timeout))
