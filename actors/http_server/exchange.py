"""Exchange between requests on the event loop and actors: a message goes out, its answer comes back in time or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

from actors.kernel import Actor, LoopThread
from messages.base import Address, Message, RequestId, request_id_of


class Exchange:
    """Questions that coroutines have asked; used on the loop, except where it says so."""

    def __init__(self, actor: Actor, loop: LoopThread) -> None:
        """None yet.

        Args:
            actor: Asks, and is answered.
            loop: On which the answers are waited for.
        """
        self._actor = actor
        self._loop = loop
        self._waiting: dict[RequestId, asyncio.Future[Message]] = {}

    def tell(self, to: Address, make: Callable[[RequestId, Address], Message]) -> None:
        """Send a message whose answer nobody waits for."""
        self._actor.tell(to, make(RequestId(self._actor.new_id()), self._actor.address))

    async def answer_to(
        self, to: Address, make: Callable[[RequestId, Address], Message], timeout_s: float
    ) -> Message | None:
        """The answer; None if there is none in time.

        Args:
            to: Whom.
            make: Makes the message, given its id and who is answered.
            timeout_s: Longest wait.
        """
        request_id = RequestId(self._actor.new_id())
        future: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = future
        try:
            self._actor.tell(to, make(request_id, self._actor.address))
            async with asyncio.timeout(timeout_s):
                return await future
        except TimeoutError:
            return None
        finally:
            del self._waiting[request_id]

    def answered(self, message: Message) -> None:
        """Pass an answer on to whoever waits; from the actor's thread."""
        self._loop.call(self._settle, message)

    def publish(self, topic: str, make: Callable[[datetime, float], Message]) -> None:
        """Tell those who follow a topic.

        Args:
            topic: Which.
            make: Makes the message, given the wall clock and the one that never goes back.
        """
        message = make(self._actor.now(), self._actor.monotonic())
        for follower in self._actor.followers(topic):
            self._actor.tell(follower, message)

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return self._actor.monotonic()

    def turn_id(self) -> str:
        """A new turn's."""
        return self._actor.new_token()

    def _settle(self, message: Message) -> None:
        future = self._waiting.get(request_id_of(message))
        if future is not None and not future.done():
            future.set_result(message)
