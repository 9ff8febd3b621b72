"""Actor that records messages."""

from __future__ import annotations

from actors.kernel import Actor
from messages.base import Message


class Told(Actor):
    """Keeps messages of some kinds, and crashes over all others."""

    def __init__(self, told: list[Message], *kinds: type[Message]) -> None:
        super().__init__()
        self._told = told
        self._kinds = kinds

    def handle(self, message: Message) -> None:
        assert isinstance(message, self._kinds), message
        self._told.append(message)
