"""Replies that commands wait for."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from actors.part import Answer
from messages.base import Message, RequestId, request_id_of
from messages.socket import Refused

_REMEMBERED = 1_000
R = TypeVar("R", bound=Message)


class Replies:
    """Whoever waits for a reply; lives on the loop and outlives each client."""

    def __init__(self) -> None:
        self._waiting: dict[RequestId, asyncio.Future[Message]] = {}
        self._served: OrderedDict[int, None] = OrderedDict()

    def expect(self, request_id: RequestId) -> asyncio.Future[Message]:
        """What will hold the reply; whoever cancels it waits no longer."""
        future: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = future
        future.add_done_callback(lambda _: self._waiting.pop(request_id, None))
        return future

    def take(self, reply: Message) -> None:
        """Hand over a reply; nothing if nobody waits for it any more."""
        future = self._waiting.get(request_id_of(reply))
        if future is not None and not future.done():
            future.set_result(reply)

    def is_new(self, interaction_id: int) -> bool:
        """Whether this interaction is told for the first time: after a lost connection Discord may repeat it."""
        if interaction_id in self._served:
            return False
        self._served[interaction_id] = None
        if len(self._served) > _REMEMBERED:
            self._served.popitem(last=False)
        return True


async def worded(
    waiting: asyncio.Future[Message], kind: type[R], words: Callable[[R], Answer], refused: str = "Not done"
) -> Answer:
    """The answer that a reply leads to.

    Args:
        waiting: Gives the reply.
        kind: What a reply to that question is, refusals apart.
        words: Makes an answer of it.
        refused: What to say before the reason of a refusal.

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
