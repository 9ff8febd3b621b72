from __future__ import annotations

import asyncio

import pytest

from actors.model.pacing import FREE_BYTES, REST_TIMES, Pacing


@pytest.mark.req("X-235")
def test_a_long_answer_takes_a_tenth_of_the_loop_and_a_short_one_all_that_it_needs() -> None:
    rests: list[float] = []

    async def sleep(seconds: float) -> None:
        rests.append(seconds)

    async def read() -> None:
        pacing = Pacing(sleep)
        for size, took_s in ((FREE_BYTES // 2, 0.5), (FREE_BYTES // 2, 0.25), (1, 0.5), (9, 0.25)):
            await pacing.rest(size, took_s)

    asyncio.run(read())

    assert rests == [REST_TIMES * 0.5, REST_TIMES * 0.25]
