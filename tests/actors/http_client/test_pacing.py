from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import pytest

from actors.http_client.pacing import BYTE_S, FREE_S, LONGEST_WORK_S, MOST_BYTES, REST_TIMES, Pace

FLOOD = b"x" * (4 << 20)


class Reading:
    """Readings of answers on a clock of their own, whose work takes a time for each piece."""

    def __init__(self, work_s: Callable[[bytes], float]) -> None:
        self._work_s = work_s
        self.now_s = 0.0
        self.worked_s = 0.0
        self._worked_before_s = 0.0
        self.rests: list[tuple[float, float]] = []
        """Work before each rest, and the rest."""
        self.pieces: list[bytes] = []
        self.hold_next: asyncio.Event | None = None
        """Set by the next reader that rests, which then rests for good."""
        self.pace = Pace(work_clock=lambda: self.worked_s, clock=lambda: self.now_s, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.rests.append((self.worked_s - self._worked_before_s, seconds))
        self._worked_before_s = self.worked_s
        self.now_s += seconds
        if seconds and self.hold_next is not None and not self.hold_next.is_set():
            self.hold_next.set()
            await asyncio.Event().wait()

    @property
    def rested_s(self) -> float:
        return sum(rest_s for _, rest_s in self.rests)

    async def read(self, *data: bytes, wait_s: float = 0.0) -> None:
        """Read an answer whose parts come after a wait each."""

        async def source() -> AsyncIterator[bytes]:
            for each in data:
                self.now_s += wait_s
                yield each

        async with aclosing(self.pace.pieces(source())) as pieces:
            async for piece in pieces:
                self.pieces.append(piece)
                took_s = self._work_s(piece)
                self.worked_s += took_s
                self.now_s += took_s


@pytest.mark.req("X-238")
@pytest.mark.parametrize("byte_s", [1e-9, 1e-8, 1e-6], ids=["comments", "deltas", "a library"])
def test_a_long_answer_works_for_a_moment_and_rests_nine_times_as_long(byte_s: float) -> None:
    reading = Reading(lambda piece: len(piece) * byte_s)

    asyncio.run(reading.read(FLOOD, FLOOD))

    assert b"".join(reading.pieces) == FLOOD * 2
    assert max(map(len, reading.pieces)) <= MOST_BYTES
    assert all(work_s <= 2 * LONGEST_WORK_S for work_s, _ in reading.rests)
    work_s = reading.worked_s + 2 * len(FLOOD) * BYTE_S
    assert REST_TIMES * (work_s - FREE_S - 3 * LONGEST_WORK_S) <= reading.rested_s <= (1 + REST_TIMES) * work_s


@pytest.mark.req("X-238")
def test_long_answers_share_until_one_is_given_up() -> None:
    reading = Reading(lambda piece: len(piece) * 1e-8)

    async def rested_s() -> float:
        had_s, had_work_s = reading.rested_s, reading.worked_s
        await reading.read(FLOOD, FLOOD)
        return (reading.rested_s - had_s) / (reading.worked_s - had_work_s)

    async def read() -> tuple[float, float, float]:
        alone = await rested_s()
        reading.hold_next = asyncio.Event()
        other = asyncio.create_task(reading.read(FLOOD, FLOOD))
        await reading.hold_next.wait()
        beside = await rested_s()
        other.cancel()
        await asyncio.wait([other])
        return alone, beside, await rested_s()

    alone, beside, after = asyncio.run(read())

    assert beside > 1.9 * alone
    assert after == pytest.approx(alone)


@pytest.mark.req("X-238")
@pytest.mark.parametrize("rate", [200, 2_000])
def test_a_long_answer_at_the_pace_of_a_model_never_rests(rate: int) -> None:
    reading = Reading(lambda _piece: 40e-6)  # what an event takes

    asyncio.run(reading.read(*[b"x" * 250] * 25_000, wait_s=1 / rate))

    assert len(reading.pieces) == 25_000
    assert reading.rested_s == 0


def test_a_short_answer_does_not_rest() -> None:
    reading = Reading(lambda piece: len(piece) * 1e-7)

    asyncio.run(reading.read(b"x" * 64 * 1024))

    assert reading.rested_s == 0


@pytest.mark.req("X-238")
def test_pieces_become_small_where_cheap_bytes_are_followed_by_dear_ones() -> None:
    reading = Reading(lambda piece: len(piece) * (1e-6 if piece.startswith(b"y") else 1e-9))

    asyncio.run(reading.read(FLOOD, b"y" * (1 << 20)))

    assert max(map(len, reading.pieces)) == MOST_BYTES
    assert max(map(len, reading.pieces[-100:])) <= 1_024
