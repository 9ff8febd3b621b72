from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    import discord

    from actors.discord.connection.pauses import Pauses, ReconnectPauses, use
    from actors.discord.timing import Timing

SESSIONS_A_DAY = 1_000
DAY_S = 86_400.0


class Loop(asyncio.SelectorEventLoop):
    """A loop whose clock is set by hand."""

    at = 1_000.0

    def time(self) -> float:
        return self.at


def run(act: Callable[[Loop, Pauses], object]) -> None:
    loop = Loop()

    async def main() -> None:
        act(loop, Pauses(Timing()))

    try:
        loop.run_until_complete(main())
    finally:
        loop.close()


def test_while_nobody_is_there_the_bot_is_never_more_than_five_seconds_late() -> None:
    def act(loop: Loop, pauses: Pauses) -> None:
        pauses.note_opened()
        loop.at += 3_600
        waited = [pauses.next_s() for _ in range(100)]
        assert waited[:4] == [1, 2, 4, 5]
        assert max(waited) == 5

    run(act)


def test_sessions_that_do_not_last_are_not_used_up_in_a_day() -> None:
    def act(loop: Loop, pauses: Pauses) -> None:
        sessions, end = 0, loop.at + DAY_S
        while loop.at < end:
            pauses.note_opened()
            sessions += 1
            loop.at += pauses.next_s()
        assert 500 < sessions < SESSIONS_A_DAY

    run(act)


def test_a_session_that_lasted_ends_long_pauses() -> None:
    def act(loop: Loop, pauses: Pauses) -> None:
        for _ in range(20):
            pauses.note_opened()
            pauses.next_s()
        pauses.note_opened()
        assert pauses.next_s() > 60
        pauses.note_opened()
        loop.at += Timing().session_timeout_s + 1
        assert pauses.next_s() == 1

    run(act)


def test_a_session_that_goes_on_costs_none() -> None:
    def act(loop: Loop, pauses: Pauses) -> None:
        for _ in range(50):
            pauses.note_opened()
            pauses.note_resumed()
            assert pauses.next_s() <= 5

    run(act)


def test_discord_py_waits_as_it_is_told_where_it_is_told() -> None:
    def act(loop: Loop, pauses: Pauses) -> None:
        assert not isinstance(ReconnectPauses().delay(), str)
        use(pauses)
        assert [vars(discord.client)["ExponentialBackoff"]().delay() for _ in range(4)] == [1, 2, 4, 5]
        assert [vars(discord.shard)["ExponentialBackoff"]().delay() for _ in range(2)] == [5, 5]

    run(act)
