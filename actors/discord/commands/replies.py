"""Answers to commands, made from the awaited replies; and the served interactions."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from actors.part import Answer
from messages.base import Message
from messages.socket import Refused

_REMEMBERED = 1_000
R = TypeVar("R", bound=Message)


class ServedInteractions:
    """Ids of served interactions; lives on the loop and outlives each client."""

    def __init__(self) -> None:
        self._served: OrderedDict[int, None] = OrderedDict()

    def is_new(self, interaction_id: int) -> bool:
        """True if this interaction is new: after a lost connection Discord may repeat an interaction."""
        if interaction_id in self._served:
            return False
        self._served[interaction_id] = None
        if len(self._served) > _REMEMBERED:
            self._served.popitem(last=False)
        return True


async def word_reply(
    waiting: asyncio.Future[Message], kind: type[R], words: Callable[[R], Answer], refused: str = "Not done"
) -> Answer:
    """The answer that a reply leads to.

    Args:
        waiting: Gives the reply.
        kind: Class of the expected reply, refusals apart.
        words: Makes an answer of it.
        refused: Words before the reason of a refusal.

    Raises:
        TypeError: a reply of another kind.
    """
    reply = await waiting
    if isinstance(reply, kind):
        return words(reply)
    if isinstance(reply, Refused):
        reason = reply.reason.strip()
        return Answer(f"{refused}: {reason}" + ("" if reason.endswith((".", "!", "?")) else "."))
    raise TypeError(f"reply {type(reply).__name__}: {kind.__name__} or a refusal is expected")
