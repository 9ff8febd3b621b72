"""Questions of an actor to others: each has an id, a deadline, and a continuation that gets the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from messages.base import RequestId

if TYPE_CHECKING:
    from actors.kernel.actor import Actor, Host
    from actors.kernel.clock import Timer
    from messages.base import Address, Message

MakeQuestion: TypeAlias = "Callable[[RequestId, Address], Message]"
"""Builds a question from a new id and the address that its answer goes to; a question may keep an id of its own."""
Then: TypeAlias = "Callable[[Any], None]"
"""Continuation: called with the answer; with None at the deadline."""


class Overdue:
    """Word of the kernel to an actor: the deadline of one of its questions has passed."""

    __slots__ = ("actor", "request_id")

    def __init__(self, actor: Actor, request_id: RequestId) -> None:
        self.actor = actor
        """The life that asked; a later one has no such question."""
        self.request_id = request_id


@dataclass(frozen=True, slots=True)
class Question:
    """One question without an answer.

    Attributes:
        asked: Message that was sent; None for a mere wait.
        then: Its continuation.
        timer: Fires at its deadline; None where a coroutine counts the time.
    """

    asked: Message | None
    then: Then
    timer: Timer | None


def ask_future(host: Host, to: Address, make: MakeQuestion) -> asyncio.Future[Any]:
    """Ask another actor from a coroutine; a cancelled future withdraws the question.

    Args:
        host: The actor that asks; its mailbox gets the answer.
        to: Address of the actor that is asked.
        make: Builds the question.

    Returns:
        Future of the answer, on the running loop. It has no deadline.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(answer: Any) -> None:
        if not future.done():
            future.set_result(answer)

    def pass_on(answer: Any) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, answer)

    request_id = host.ask(to, make, None, pass_on)
    future.add_done_callback(lambda _: host.withdraw(request_id))
    return future


async def ask_from_loop(host: Host, to: Address, make: MakeQuestion, timeout_s: float) -> Any:
    """Ask another actor and return its answer.

    Args:
        host: The actor that asks; its mailbox gets the answer.
        to: Address of the actor that is asked.
        make: Builds the question.
        timeout_s: Longest wait in seconds.

    Raises:
        TimeoutError: no answer within `timeout_s`.
    """
    return await asyncio.wait_for(ask_future(host, to, make), timeout_s)
