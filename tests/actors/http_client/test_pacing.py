from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import pytest

from actors.http_client.pacing import FREE_S, LONGEST_WORK_S, MOST_BYTES, REST_TIMES, Pacing


class Reader:
    """Reader with a clock of its own, whose work takes a time for each byte."""

    def __init__(self, work_s: Callable[[bytes], float]) -> None:
        self._work_s = work_s
        self._now_s = 0.0
        self.pieces: list[bytes] = []
        self.work_s = 0.0
        self.rests: list[tuple[float, float]] = []
        """Work before each rest, and the rest."""
        self._rested_at_s = 0.0

    def read(self, *data: bytes) -> None:
        async def source() -> AsyncIterator[bytes]:
            for each in data:
                yield each

        async def sleep(seconds: float) -> None:
            self.rests.append((self._now_s - self._rested_at_s, seconds))
            self._rested_at_s = self._now_s

        async def read() -> None:
            async with aclosing(Pacing(clock=lambda: self._now_s, sleep=sleep).pieces(source())) as pieces:
                async for piece in pieces:
                    self.pieces.append(piece)
                    self._now_s += self._work_s(piece)

        asyncio.run(read())
        self.work_s = self._now_s


@pytest.mark.req("X-238")
@pytest.mark.parametrize("byte_s", [1e-9, 1e-8, 1e-6], ids=["comments", "deltas", "a library"])
def test_a_long_answer_works_for_a_moment_and_rests_nine_times_as_long(byte_s: float) -> None:
    reader = Reader(lambda piece: len(piece) * byte_s)
    flood = b"x" * (4 << 20)

    reader.read(flood, flood)

    assert b"".join(reader.pieces) == flood * 2
    assert max(map(len, reader.pieces)) <= MOST_BYTES
    assert all(work_s <= 2 * LONGEST_WORK_S for work_s, _ in reader.rests)
    rested_s = sum(rest_s for _, rest_s in reader.rests)
    assert rested_s >= REST_TIMES * (reader.work_s - FREE_S - 3 * LONGEST_WORK_S)
    assert rested_s <= REST_TIMES * reader.work_s


@pytest.mark.req("X-238")
def test_a_long_answer_at_the_rate_of_a_fast_model_rests_less_than_it_waits_for_the_model() -> None:
    events, event_s, rate = 25_000, 40e-6, 1_000
    reader = Reader(lambda _piece: event_s)

    reader.read(*[b"x" * 250] * events)

    assert len(reader.pieces) == events
    assert sum(rest_s for _, rest_s in reader.rests) < events / rate / 2


def test_a_short_answer_does_not_rest() -> None:
    reader = Reader(lambda piece: len(piece) * 1e-7)

    reader.read(b"x" * 64 * 1024)

    assert all(rest_s == 0 for _, rest_s in reader.rests)
