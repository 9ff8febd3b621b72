from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from actors.discord.calls.discord_clock import TRUSTED_S, DiscordClock
from actors.kernel import Host, ManualClock

OURS = datetime(2026, 1, 1, tzinfo=UTC)
THEIRS = datetime(2026, 5, 5, 5, 5, 5, tzinfo=UTC)


class Http:
    """discord.py's HTTP client, as far as aiohttp awaits what it is given with the answer."""

    def __init__(self, clock: ManualClock) -> None:
        self.looked_at = 0
        self._clock = clock
        self._began_s = clock.monotonic()

    async def request(self, route: str, *, raise_for_status: Any = None, **how: Any) -> tuple[str, Any]:
        if raise_for_status is not None:
            self.looked_at += 1
            then = THEIRS + timedelta(seconds=self._clock.monotonic() - self._began_s)
            await raise_for_status(SimpleNamespace(headers={"Date": format_datetime(then, usegmt=True)}))
        return route, how


def call(http: Any) -> tuple[str, Any]:
    answer: tuple[str, Any] = asyncio.run(http.request("GET /x", json={}))
    return answer


def test_discords_time_is_told_and_the_call_goes_on_as_it_was_meant() -> None:
    ours = ManualClock(OURS)
    clock, http = DiscordClock(cast("Host", ours)), Http(ours)
    clock.listen(http)
    assert clock.now() == OURS
    assert call(http) == ("GET /x", {"json": {}})
    ours.advance(100.0)
    assert clock.now() == THEIRS + timedelta(seconds=101)
    assert clock.earliest() == THEIRS + timedelta(seconds=100)


@pytest.mark.parametrize(("jump_h", "ahead_s"), [(8, 8 * 3600 - 1), (-8, 0)])
def test_a_clock_of_ours_that_is_ahead_is_told_and_one_that_is_behind_counts_as_right(
    jump_h: int, ahead_s: int
) -> None:
    ours = ManualClock(THEIRS)
    clock, http = DiscordClock(cast("Host", ours)), Http(ours)
    clock.listen(http)
    ours.jump(timedelta(hours=jump_h))
    assert clock.ahead() == timedelta(0)
    call(http)
    assert clock.ahead() == timedelta(seconds=ahead_s)


def test_time_passes_at_discord_while_the_machine_sleeps_though_no_answer_came_since() -> None:
    """An operator's switch of memory right after the sleep would hold for messages from the sleep."""
    ours, slept_s = ManualClock(THEIRS), [70.25]
    clock, http = DiscordClock(cast("Host", ours), slept_s=lambda: slept_s[-1]), Http(ours)
    clock.listen(http)
    call(http)
    ours.jump(timedelta(hours=8))
    slept_s.append(70.25 + 8 * 3600)
    assert clock.now() == THEIRS + timedelta(hours=8, seconds=1)
    assert clock.ahead() == timedelta(0)


def test_few_answers_are_looked_at() -> None:
    ours = ManualClock(OURS)
    clock, http = DiscordClock(cast("Host", ours)), Http(ours)
    clock.listen(http)
    for _ in range(50):
        call(http)
        ours.advance(TRUSTED_S / 10)
    assert http.looked_at == 5


def test_after_a_new_session_the_next_answer_is_looked_at() -> None:
    ours = ManualClock(OURS)
    clock, http = DiscordClock(cast("Host", ours)), Http(ours)
    clock.listen(http)
    call(http)
    clock.doubt()
    call(http)
    call(http)
    assert http.looked_at == 2


def test_words_that_are_no_date_change_nothing_and_the_next_answer_is_looked_at() -> None:
    ours = ManualClock(OURS)
    clock, http = DiscordClock(cast("Host", ours)), Http(ours)
    clock.listen(http)
    for words in ("", "yesterday", "Thu, 99 Nov 2026 15:00:00 GMT"):
        clock.set(words)
    assert clock.now() == OURS
    call(http)
    assert http.looked_at == 1
