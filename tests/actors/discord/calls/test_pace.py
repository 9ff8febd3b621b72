from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from actors.discord.calls.pace import APART_S, Pace
from tests.patience import PATIENCE_S


def test_calls_begin_in_order_and_the_loop_comes_round_between_them() -> None:
    begun: list[int] = []
    turns = 0

    async def call(pace: Pace, number: int) -> None:
        await pace.turn()
        begun.append(number)

    async def main() -> int:
        nonlocal turns
        pace = Pace()
        calls = asyncio.gather(*(call(pace, number) for number in range(50)))
        while not calls.done():
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert asyncio.run(main()) >= 50
    assert begun == list(range(50))


def test_a_call_that_is_cut_off_while_it_waits_takes_no_turn_from_others() -> None:
    async def main() -> list[bool]:
        pace = Pace()
        waiting = [asyncio.ensure_future(pace.turn()) for _ in range(4)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*waiting, return_exceptions=True)
            await pace.turn()
        return [task.cancelled() for task in waiting]

    assert asyncio.run(main()) == [False, True, False, False]


def test_the_pace_goes_on_after_a_pause() -> None:
    async def main() -> None:
        pace = Pace()
        for _ in range(3):
            async with asyncio.timeout(PATIENCE_S):
                await pace.turn()
                await pace.turn()
            await asyncio.sleep(0.01)

    asyncio.run(main())


def test_a_call_that_comes_alone_has_nothing_to_wait_for() -> None:
    async def main() -> tuple[bool, bool]:
        pace = Pace()
        first = next_turn(pace.turn())
        await asyncio.sleep(3 * APART_S)
        return first, next_turn(pace.turn())

    def next_turn(turn: Coroutine[Any, Any, None]) -> bool:
        """Whether it begins without the loop coming round."""
        try:
            turn.send(None)
        except StopIteration:
            return True
        turn.close()
        return False

    assert asyncio.run(main()) == (True, True)


def test_who_took_long_to_begin_goes_behind_others_with_its_next_call() -> None:
    async def main() -> list[str]:
        pace = Pace()
        begun: list[str] = []

        async def call(name: str) -> None:
            await pace.turn()
            begun.append(name)

        async def call_twice() -> None:
            await call("second")
            time.sleep(2 * APART_S)  # noqa: ASYNC251 - as on a slow machine
            await call("second again")

        await asyncio.gather(call("first"), call_twice(), call("third"), call("fourth"))
        return begun

    assert asyncio.run(main()) == ["first", "second", "third", "fourth", "second again"]
