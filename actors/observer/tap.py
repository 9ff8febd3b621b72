"""Tap on the messages of a system: their number by address, and the open questions with their askers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from actors.kernel.inspection import here
from messages.base import Address, Message, RequestId, Window
from messages.turn import TurnEnded

MOST_HEARD = 50_000
"""Messages kept until the next look; of more, the oldest are dropped."""


class TappedMessage(NamedTuple):
    """Part of a question or an answer, or the end of a turn."""

    at: float
    """Seconds of the monotonic clock."""
    to: Address
    message: Any
    within: RequestId | None
    """The question in the sender's hand, where the message itself names no window."""


class Tap:
    """Tap called by an actor system for each message, from many threads at once and without a lock."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """Begin without messages.

        Args:
            monotonic: The clock.
        """
        self._monotonic = monotonic
        self._kinds: dict[type, bool] = {TurnEnded: True}
        self._messages: deque[TappedMessage] = deque(maxlen=MOST_HEARD)
        self.counts: dict[Address, int] = {}
        """Address -> number of messages; two threads that count at once may count only one message."""

    def __call__(self, to: Address, message: Message) -> None:
        """Take note of a message, in the sender's thread."""
        counts = self.counts
        counts[to] = counts.get(to, 0) + 1
        kind = type(message)
        is_kept = self._kinds.get(kind)
        if is_kept is None:
            is_kept = self._kinds[kind] = "request_id" in kind.__struct_fields__
        if is_kept:
            asks_apart = hasattr(message, "reply_to") and not isinstance(getattr(message, "window", None), Window)
            within = getattr(here().message, "request_id", None) if asks_apart else None
            self._messages.append(TappedMessage(self._monotonic(), to, message, within))

    def take(self) -> list[TappedMessage]:
        """Messages overheard since the last call, oldest first."""
        messages = self._messages
        return [messages.popleft() for _ in range(len(messages))]
