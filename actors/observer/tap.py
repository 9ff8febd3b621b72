"""Tap on the messages of a system: how many each address is told, and which questions wait for whom."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from actors.kernel.inspection import here
from messages.base import Address, Message, RequestId, Window
from messages.turn import TurnEnded

MOST_HEARD = 50_000
"""Of what is kept until the next look at it; the oldest go when somebody tells more in between."""


class Heard(NamedTuple):
    """One message that is part of a question, its answer, or the end of a turn."""

    at: float
    """Seconds of the clock that never goes back."""
    to: Address
    message: Any
    within: RequestId | None
    """The question that its teller was at work on, where the message itself names no window."""


class Tap:
    """Tap that an actor system calls for each message; made of what many threads may do at once without a lock."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """Nothing was heard.

        Args:
            monotonic: The clock.
        """
        self._monotonic = monotonic
        self._kinds: dict[type, bool] = {TurnEnded: True}
        self._heard: deque[Heard] = deque(maxlen=MOST_HEARD)
        self.told: dict[Address, int] = {}
        """Address -> how many messages it was told; two threads that count at once may count one."""

    def __call__(self, to: Address, message: Message) -> None:
        """Hear of a message, in its teller's thread."""
        told = self.told
        told[to] = told.get(to, 0) + 1
        kind = type(message)
        is_kept = self._kinds.get(kind)
        if is_kept is None:
            is_kept = self._kinds[kind] = "request_id" in kind.__struct_fields__
        if is_kept:
            asks_apart = hasattr(message, "reply_to") and not isinstance(getattr(message, "window", None), Window)
            within = getattr(here().message, "request_id", None) if asks_apart else None
            self._heard.append(Heard(self._monotonic(), to, message, within))

    def take(self) -> list[Heard]:
        """What was heard since the last time, oldest first."""
        heard = self._heard
        return [heard.popleft() for _ in range(len(heard))]
