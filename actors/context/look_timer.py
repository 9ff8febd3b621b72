"""Timer of a window's next look at its logs."""

from __future__ import annotations

import math

from actors.context.host import WindowHost
from messages.base import RequestId
from messages.context import LookDue


class LookTimer:
    """Sender of `LookDue` to the window; until then the window stays in memory, the only place of the new words."""

    def __init__(self, host: WindowHost) -> None:
        self._host = host
        self._due_s = math.inf
        self._wait_id = RequestId("")

    def set(self, delay_s: float) -> None:
        """Have the message sent in so many seconds, or earlier."""
        due_s = self._host.monotonic() + delay_s
        if due_s < self._due_s:
            self._host.withdraw(self._wait_id)
            self._due_s, self._wait_id = due_s, self._host.wait(delay_s, self._send)

    def _send(self) -> None:
        self._due_s = math.inf
        self._host.tell(self._host.address, LookDue())
