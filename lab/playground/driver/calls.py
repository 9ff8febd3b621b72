"""Calls into the server's thread, from any other."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from lab.playground.acts.people import UserActs
from lab.playground.hub import Hub

T = TypeVar("T")

_GRACE_S = 5.0
WAIT_S = 60.0
"""For what the bot is to do: Discord's own limits hold on its side of the wire, and a busy machine needs longer."""


class ThreadCalls:
    """Blocking calls: they hold the calling thread, never the server's.

    Ids are integers. A caller's mistake is a `ValueError`, a refusal of Discord's an `ApiError`, the end of a wait a
    `TimeoutError`.
    """

    def __init__(self, hub: Hub) -> None:
        """Keep the hub; nothing can be called before the server has set its loop.

        Args:
            hub: The playground, used on the server's loop only.
        """
        self._hub = hub
        self._acts = UserActs(hub)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def acts(self) -> UserActs:
        """Acts of people, for code that runs in the server's thread, such as listeners of events."""
        return self._acts

    def run(self, act: Callable[[], T]) -> T:
        """Run `act` in the server's thread; return the result."""

        async def call() -> T:
            return act()

        return self.wait(call(), WAIT_S)

    def wait(self, coroutine: Coroutine[Any, Any, T], timeout_s: float) -> T:
        """Run `coroutine` on the server's loop; return the result after at most a little more than `timeout_s`."""
        loop = self._loop
        if loop is None or loop.is_closed():
            coroutine.close()
            raise RuntimeError("the playground is not running: call start() first")
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result(timeout_s + _GRACE_S)
        except concurrent.futures.CancelledError as error:
            raise RuntimeError("the playground was stopped meanwhile") from error
