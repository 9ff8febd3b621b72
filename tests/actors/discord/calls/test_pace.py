from __future__ import annotations

import asyncio

from actors.discord.calls.pace import Pace


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
        async with asyncio.timeout(5):
            await asyncio.gather(*waiting, return_exceptions=True)
            await pace.turn()
        return [task.cancelled() for task in waiting]

    assert asyncio.run(main()) == [False, True, False, False]


def test_the_pace_goes_on_after_a_pause() -> None:
    async def main() -> None:
        pace = Pace()
        for _ in range(3):
            async with asyncio.timeout(5):
                await pace.turn()
                await pace.turn()
            await asyncio.sleep(0.01)

    asyncio.run(main())
