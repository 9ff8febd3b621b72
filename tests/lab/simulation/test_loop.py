"""The stepped loop: asyncio's time is the clock's, and its order that of asyncio."""

from __future__ import annotations

import asyncio

import pytest

from actors.kernel import ManualClock
from lab.simulation.loop import SteppedLoopThread
from tests.patience import PATIENCE_S


def _thread() -> tuple[ManualClock, SteppedLoopThread, list[str]]:
    clock, reports = ManualClock(), list[str]()
    thread = SteppedLoopThread(clock, reports.append)
    thread.start()
    return clock, thread, reports


def test_who_waits_for_a_coroutine_lets_its_time_pass() -> None:
    clock, thread, _ = _thread()

    async def later() -> float:
        await asyncio.sleep(3)
        return asyncio.get_running_loop().time()

    assert thread.submit(later()).result(PATIENCE_S) == pytest.approx(3.0)
    assert clock.monotonic() == pytest.approx(3.0)


def test_a_timeout_is_the_clocks() -> None:
    _, thread, _ = _thread()

    async def late() -> str:
        try:
            async with asyncio.timeout(2):
                await asyncio.sleep(5)
        except TimeoutError:
            return "timed out"
        return "slept"

    assert thread.submit(late()).result(PATIENCE_S) == "timed out"


def test_tasks_take_turns_in_the_order_in_which_they_were_begun() -> None:
    _, thread, _ = _thread()
    order: list[str] = []

    async def write(name: str) -> None:
        for _ in range(3):
            order.append(name)
            await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(write("a"), write("b"))

    thread.submit(both()).result(PATIENCE_S)
    assert order == ["a", "b"] * 3


def test_a_stopped_loop_cancels_what_runs_and_takes_nothing_more() -> None:
    _, thread, _ = _thread()
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(1_000)
        finally:
            ended.append("cancelled")

    future = thread.submit(wait())
    thread.run_until(lambda: not thread.stepped.is_ready, 1)
    thread.stop()
    assert ended == ["cancelled"]
    assert future.cancelled()
    assert thread.submit(wait()).cancelled()


def test_an_error_that_nobody_takes_is_reported() -> None:
    _, thread, reports = _thread()

    def fail() -> None:
        raise ValueError("oops")

    thread.call(fail)
    thread.run_until(lambda: not thread.stepped.is_ready, 1)
    (report,) = reports
    assert "ValueError: oops" in report


def test_who_sleeps_until_a_moment_does_not_wake_before_it_for_ever() -> None:
    clock, thread, _ = _thread()
    clock.advance(4.168791)

    async def wait_until(moment: float) -> int:
        sleeps = 0
        while (left_s := moment - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(left_s)
            sleeps += 1
            assert sleeps < 10
        return sleeps

    for moment in (4.168791000000001, 5.0000001, 5.1234567):
        assert thread.submit(wait_until(moment)).result(PATIENCE_S) <= 2
