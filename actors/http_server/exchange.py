"""Exchange between requests on the event loop and actors: a message goes out, its answer comes back in time or not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from actors.kernel import Actor, MakeQuestion, ask_from_loop
from messages.base import Address, Message, RequestId


class Exchange:
    """Questions and messages of coroutines, sent in the name of an actor."""

    def __init__(self, actor: Actor) -> None:
        """Begin without a question.

        Args:
            actor: The actor that asks.
        """
        self._actor = actor

    def tell(self, to: Address, make: MakeQuestion) -> None:
        """Send a message without waiting for its answer."""
        self._actor.tell(to, make(request_id=RequestId(self._actor.new_id()), reply_to=self._actor.address))

    async def answer_to(self, to: Address, make: MakeQuestion, timeout_s: float) -> Any:
        """Ask an actor; None without an answer within `timeout_s`."""
        try:
            return await ask_from_loop(self._actor, to, make, timeout_s)
        except TimeoutError:
            return None

    def publish(self, topic: str, make: Callable[[datetime, float], Message]) -> None:
        """Tell the followers of a topic.

        Args:
            topic: Name of the topic.
            make: Makes the message, given the wall clock and the monotonic clock.
        """
        message = make(self._actor.now(), self._actor.monotonic())
        for follower in self._actor.followers(topic):
            self._actor.tell(follower, message)

    def monotonic(self) -> float:
        """Steady clock in seconds."""
        return self._actor.monotonic()

    def turn_id(self) -> str:
        """A new turn's."""
        return self._actor.new_token()
