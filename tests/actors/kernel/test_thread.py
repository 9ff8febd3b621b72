from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from actors.kernel import Bulkhead
from tests.patience import PATIENCE_S

SOON_S = 0.05


def test_a_job_gives_what_it_gives_and_raises_what_it_raises() -> None:
    async def both() -> None:
        bulkhead = Bulkhead("test")
        assert await bulkhead.run("a", PATIENCE_S, divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await bulkhead.run("a", PATIENCE_S, divmod, 7, 0)
        with pytest.raises(KeyboardInterrupt):
            await bulkhead.run("a", PATIENCE_S, be_interrupted)
        assert await bulkhead.run("a", PATIENCE_S, divmod, 8, 2) == (4, 0)

    asyncio.run(both())


def be_interrupted() -> None:
    raise KeyboardInterrupt


def test_a_lane_runs_one_job_at_a_time_in_order() -> None:
    running, most, order = 0, 0, list[int]()

    def job(number: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        order.append(number)
        running -= 1

    async def many() -> None:
        bulkhead = Bulkhead("test")
        await asyncio.gather(*(bulkhead.run("a", PATIENCE_S, job, number) for number in range(50)))

    asyncio.run(many())
    assert (most, order) == (1, list(range(50)))


def test_a_machine_without_threads_is_trouble_of_the_systems_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def run() -> None:
        bulkhead = Bulkhead("test")
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refuse)
            with pytest.raises(OSError, match="no thread can be started for it: can't start new thread"):
                await bulkhead.run("a", PATIENCE_S, divmod, 7, 2)
        assert await bulkhead.run("a", PATIENCE_S, divmod, 7, 2) == (3, 1)

    asyncio.run(run())


def with_a_hanging_lane(
    then: Callable[[Bulkhead, threading.Event], Coroutine[Any, Any, None]], at_once: int = 2
) -> None:
    """Run `then` with a bulkhead in whose lane `stuck` a job was given up that hangs until the event is set."""

    async def run() -> None:
        bulkhead, over = Bulkhead("test", at_once), threading.Event()
        try:
            with pytest.raises(TimeoutError, match=r"it took longer than 0\.05 s"):
                await bulkhead.run("stuck", SOON_S, over.wait)
            await then(bulkhead, over)
        finally:
            over.set()

    asyncio.run(run())


def join_all(name: str) -> None:
    """Wait for the threads of that name; what they tell their loop at their end is told then."""
    for thread in threading.enumerate():
        if thread.name == name:
            thread.join(PATIENCE_S)


def test_a_job_that_hangs_holds_up_its_own_lane_alone() -> None:
    async def then(bulkhead: Bulkhead, _over: threading.Event) -> None:
        before = threading.active_count()
        with pytest.raises(TimeoutError, match="an earlier call still hangs"):
            await bulkhead.run("stuck", PATIENCE_S, int)
        assert threading.active_count() == before
        assert await bulkhead.run("other", PATIENCE_S, int) == 0

    with_a_hanging_lane(then)


def test_a_job_that_was_given_up_takes_nobodys_place() -> None:
    async def then(bulkhead: Bulkhead, _over: threading.Event) -> None:
        assert await bulkhead.run("other", PATIENCE_S, int) == 0

    with_a_hanging_lane(then, at_once=1)


def test_a_lane_is_open_again_once_its_job_ends() -> None:
    async def then(bulkhead: Bulkhead, over: threading.Event) -> None:
        await bulkhead.run("other", PATIENCE_S, over.set)
        await asyncio.to_thread(join_all, "test-stuck")
        assert await bulkhead.run("stuck", PATIENCE_S, int) == 0

    with_a_hanging_lane(then)


def test_who_waited_behind_a_job_that_was_given_up_has_the_lane_after_it() -> None:
    first, second, begun = threading.Event(), threading.Event(), threading.Event()

    def wait() -> bool:
        begun.set()
        return second.wait()

    async def run() -> None:
        bulkhead = Bulkhead("test")
        hanging = asyncio.create_task(bulkhead.run("a", SOON_S, first.wait))
        waiting = asyncio.create_task(bulkhead.run("a", PATIENCE_S, wait))
        with pytest.raises(TimeoutError):
            await hanging
        first.set()
        await asyncio.to_thread(begun.wait)
        behind = asyncio.create_task(bulkhead.run("a", PATIENCE_S, int))
        await asyncio.sleep(0)
        second.set()
        assert (await waiting, await behind) == (True, 0)

    asyncio.run(run())


def test_only_so_many_run_at_once_and_who_waits_too_long_never_runs() -> None:
    ran = list[str]()

    async def full() -> None:
        bulkhead, over = Bulkhead("test", at_once=1), threading.Event()
        first = asyncio.create_task(bulkhead.run("a", PATIENCE_S, over.wait))
        await asyncio.sleep(0)
        with pytest.raises(TimeoutError):
            await bulkhead.run("b", SOON_S, ran.append, "b")
        over.set()
        assert await first
        await bulkhead.run("b", PATIENCE_S, ran.append, "again")

    asyncio.run(full())
    assert ran == ["again"]


def test_a_loop_can_be_closed_over_a_job_that_hangs() -> None:
    over, ended = threading.Event(), threading.Event()

    def hang() -> None:
        over.wait()
        ended.set()

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await Bulkhead("test").run("a", SOON_S, hang)

    asyncio.run(give_up())
    over.set()
    assert ended.wait(PATIENCE_S)
