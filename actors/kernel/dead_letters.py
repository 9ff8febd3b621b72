"""Dead letters: messages without a handling actor, kept and counted, never silent."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from dataclasses import dataclass
from datetime import datetime

from messages.base import Address

log = logging.getLogger(__name__)

LEFT_OVER = "left over at the end"
"""Reason for messages still unhandled when the system stopped: harmless, for the logs have the messages."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message with the reason for not being handled."""

    address: Address
    message: object
    reason: str
    """`no such actor`, `actor stopped`, `failed 3 times: …`, `not understood: …`, `left over at the end`."""
    traceback: str
    """Traceback of the last failure; empty without a failure."""
    at: datetime


class DeadLetters:
    """The last `limit` dead letters and the number of all, by reason."""

    def __init__(self, limit: int = 1000) -> None:
        self._letters: deque[DeadLetter] = deque(maxlen=limit)
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, letter: DeadLetter) -> None:
        """Keep `letter`; the log shows only the message's type, never its text."""
        reason = letter.reason.partition(":")[0]
        with self._lock:
            self._letters.append(letter)
            self._counts[reason] += 1
        level = logging.INFO if reason == LEFT_OVER else logging.WARNING
        log.log(level, "dead letter: %s to %s: %s", type(letter.message).__name__, letter.address, reason)

    @property
    def count(self) -> int:
        """Number of dead letters so far."""
        with self._lock:
            return sum(self._counts.values())

    def counts(self) -> dict[str, int]:
        """Number of dead letters so far, by reason."""
        with self._lock:
            return dict(self._counts)

    def letters(self) -> tuple[DeadLetter, ...]:
        """Kept dead letters, oldest first."""
        with self._lock:
            return tuple(self._letters)
