"""Turns of windows at something scarce."""

from __future__ import annotations

import asyncio

from actors.discord.incoming.fair_limiter import FairLimiter
from messages.base import Window
from tests.actors.discord.life import thread_window

A, B, C = thread_window(1), thread_window(2), thread_window(3)


class Holders:
    """Tasks that take their turn and hold it until they are let go."""

    def __init__(self, limit: int) -> None:
        self.limiter = FairLimiter(limit)
        self.holding: list[str] = []
        self.order: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}

    def begin(self, name: str, window: Window) -> asyncio.Task[None]:
        self._ends[name] = asyncio.Event()
        return asyncio.create_task(self._hold(name, window))

    async def _hold(self, name: str, window: Window) -> None:
        async with self.limiter.turn(window):
            self.holding.append(name)
            self.order.append(name)
            try:
                await self._ends[name].wait()
            finally:
                self.holding.remove(name)

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await settle()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_windows_take_turns_and_each_has_one_at_a_time() -> None:
    async def run() -> None:
        holders = Holders(2)
        tasks = [holders.begin(f"a{number}", A) for number in range(3)]
        await settle()
        assert holders.holding == ["a0"]
        tasks += [holders.begin("b0", B), holders.begin("b1", B), holders.begin("c0", C)]
        await settle()
        assert holders.holding == ["a0", "b0"]
        for name in ("a0", "b0", "c0", "a1", "b1", "a2"):
            await holders.end(name)
        await asyncio.gather(*tasks)
        assert holders.order == ["a0", "b0", "c0", "a1", "b1", "a2"]

    asyncio.run(run())


def test_who_is_cancelled_gives_the_turn_on() -> None:
    async def run() -> None:
        holders = Holders(1)
        tasks = [holders.begin("a0", A), holders.begin("b0", B), holders.begin("c0", C)]
        await settle()
        tasks[1].cancel()
        tasks[0].cancel()
        await settle()
        assert holders.holding == ["c0"]
        await holders.end("c0")
        tasks.append(holders.begin("a1", A))
        await settle()
        assert holders.holding == ["a1"]
        await holders.end("a1")

    asyncio.run(run())


def test_who_is_cancelled_as_the_turn_comes_gives_it_on() -> None:
    async def run() -> None:
        holders = Holders(1)
        first, second, third = (holders.begin(f"{i}", window) for i, window in enumerate((A, B, C)))
        await settle()
        first.cancel()
        await asyncio.sleep(0)
        second.cancel()
        await settle()
        assert holders.holding == ["2"]
        await holders.end("2")
        await third

    asyncio.run(run())
