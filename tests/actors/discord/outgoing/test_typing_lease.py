"""Typing on a clock that only jumps: no call comes later than the lease."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest

from actors.context.presence import TYPING_RENEWAL_S
from actors.discord.calls.rest_calls import RestCalls
from actors.discord.outgoing.typing_indicator import TypingIndicator
from actors.discord.timing import Timing
from tests.jumping_loop import DrivenLoop

T = TypeVar("T")
CHANNEL = "910000000000000011"


class Calls(RestCalls):
    """Notes when a call is made, which then lasts so long."""

    def __init__(self, lasts_s: float = 0.0) -> None:
        super().__init__(timing=Timing(), on_fatal=lambda _: None)
        self.at: list[float] = []
        self.ended_at: list[float] = []
        self._lasts_s = lasts_s

    async def once(self, call: Callable[[Any], Awaitable[T]]) -> T:
        return await call(self)

    def get_partial_messageable(self, _channel_id: int) -> Calls:
        return self

    async def typing(self) -> None:
        now = asyncio.get_running_loop().time
        self.at.append(now())
        try:
            await asyncio.sleep(self._lasts_s)
        finally:
            self.ended_at.append(now())


def run(scene: Coroutine[Any, Any, None]) -> None:
    loop = DrivenLoop()
    try:
        loop.run_until_complete(scene)
    finally:
        loop.close()


@pytest.mark.parametrize("lasts_s", [0.0, 0.5, 20.0, 1_000.0])
def test_a_window_that_was_killed_types_no_longer_than_its_lease(lasts_s: float) -> None:
    calls, timing = Calls(lasts_s), Timing()

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=timing)
        typing.show(CHANNEL)
        await asyncio.sleep(TYPING_RENEWAL_S)
        typing.show(CHANNEL)  # the last that is heard of the window
        await asyncio.sleep(10_000)

    run(scene())
    assert len(calls.at) >= 2
    assert max(calls.at) < TYPING_RENEWAL_S + timing.typing_limit_s
    assert max(calls.ended_at) <= TYPING_RENEWAL_S + timing.typing_limit_s


def test_a_window_that_renews_in_time_types_without_a_gap() -> None:
    calls, timing = Calls(), Timing()

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=timing)
        for _ in range(30):
            typing.show(CHANNEL)
            await asyncio.sleep(TYPING_RENEWAL_S)
        typing.hide(CHANNEL)
        await asyncio.sleep(10_000)

    run(scene())
    pauses = [later - earlier for earlier, later in zip(calls.at, calls.at[1:], strict=False)]
    assert max(pauses) <= 10.0
    assert 30 * TYPING_RENEWAL_S - 10.0 <= max(calls.at) <= 30 * TYPING_RENEWAL_S


def test_a_call_under_way_when_typing_is_stopped_goes_on_for_a_moment_only() -> None:
    calls = Calls(lasts_s=1_000.0)

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=Timing())
        typing.show(CHANNEL)
        await asyncio.sleep(5.0)
        typing.hide(CHANNEL)
        await asyncio.sleep(10_000)

    run(scene())
    assert (calls.at, calls.ended_at) == ([0.0], [6.0])


@pytest.mark.req("X-162")
def test_whoever_asks_while_typing_shows_costs_no_call() -> None:
    """Turns that end without a word, one after another: typing shows on, so no call is made before it ends."""
    calls, timing = Calls(), Timing()

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=timing)
        for _ in range(20):
            typing.show(CHANNEL)
            await asyncio.sleep(0.5)
            typing.hide(CHANNEL)
            await asyncio.sleep(0.5)

    run(scene())
    assert calls.at == [0.0, 8.0, 16.0]


def test_after_the_bot_has_said_something_typing_shows_at_once_again() -> None:
    calls = Calls()

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=Timing())
        for _ in range(3):
            typing.show(CHANNEL)
            await asyncio.sleep(0.5)
            typing.hide(CHANNEL)
            await typing.end(CHANNEL)
            await asyncio.sleep(0.5)

    run(scene())
    assert calls.at == [0.0, 1.0, 2.0]


def test_a_turn_that_begins_while_typing_shows_is_shown_typing_when_that_ends() -> None:
    calls = Calls()

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=Timing())
        typing.show(CHANNEL)
        await asyncio.sleep(1.0)
        typing.hide(CHANNEL)
        typing.show(CHANNEL)
        await asyncio.sleep(20.0)
        typing.hide(CHANNEL)
        await asyncio.sleep(1_000.0)

    run(scene())
    assert calls.at == [0.0, 8.0, 16.0]


def test_a_lease_that_ends_before_the_next_call_ends_without_one() -> None:
    calls = Calls()

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=Timing(typing_every_s=8.0, typing_limit_s=5.0))
        typing.show(CHANNEL)
        await asyncio.sleep(4.0)
        typing.show(CHANNEL)
        await asyncio.sleep(1_000.0)
        typing.show(CHANNEL)
        await asyncio.sleep(1.0)

    run(scene())
    assert calls.at == [0.0, 8.0, 1_004.0]


def test_a_call_that_goes_wrong_ends_the_lease_and_the_next_begins_anew() -> None:
    class Failing(Calls):
        async def typing(self) -> None:
            await super().typing()
            if len(self.at) == 1:
                raise RuntimeError("of its own")

    calls = Failing()

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=Timing())
        typing.show(CHANNEL)
        await asyncio.sleep(TYPING_RENEWAL_S)
        typing.show(CHANNEL)
        await asyncio.sleep(1.0)

    run(scene())
    assert calls.at == [0.0, TYPING_RENEWAL_S]


def test_of_channels_in_which_typing_shows_no_longer_nothing_is_kept() -> None:
    calls = Calls()
    typing = TypingIndicator(rest=calls, timing=Timing())

    async def scene() -> None:
        for channel_id in range(1_000):
            typing.show(str(channel_id))
            await asyncio.sleep(0.1)
            typing.hide(str(channel_id))

    run(scene())
    assert len(calls.at) == 1_000
    assert typing.shown_count <= 81


@pytest.mark.parametrize("lasts_s", [0.0, 0.5, 3.0])
def test_a_hundred_short_turns_on_a_slow_discord_make_few_calls(lasts_s: float) -> None:
    """A sign whose turn is over before its call returns serves the next turn, and is noted as shown."""
    calls = Calls(lasts_s)

    async def scene() -> None:
        typing = TypingIndicator(rest=calls, timing=Timing())
        for _ in range(130):
            typing.show(CHANNEL)
            await asyncio.sleep(0.02)
            typing.hide(CHANNEL)
        await asyncio.sleep(1_000)

    run(scene())
    assert calls.at == [0.0]


def test_while_texts_wait_to_be_posted_typing_waits_and_is_shown_afterwards_if_still_wanted() -> None:
    for wanted, expected in ((True, [30.0]), (False, [])):
        calls = Calls()

        async def scene(calls: Calls = calls, wanted: bool = wanted) -> None:
            typing = TypingIndicator(rest=calls, timing=Timing())
            typing.hold(CHANNEL)
            typing.show(CHANNEL)
            await asyncio.sleep(20.0)
            if wanted:
                typing.show(CHANNEL)
            else:
                typing.hide(CHANNEL)
            await asyncio.sleep(10.0)
            typing.release(CHANNEL)
            await asyncio.sleep(1.0)
            typing.hide(CHANNEL)
            await asyncio.sleep(1_000.0)

        run(scene())
        assert calls.at == expected
