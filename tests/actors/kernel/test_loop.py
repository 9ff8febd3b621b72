from __future__ import annotations

import asyncio
import inspect
import logging
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import LoopEndedError, LoopThread
from tests.patience import PATIENCE_S


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    loop = LoopThread("test-loop")
    loop.start()
    yield loop
    loop.stop()


def test_a_coroutine_runs_on_the_loops_thread_and_its_result_is_in_the_future(loop: LoopThread) -> None:
    async def name() -> str:
        return threading.current_thread().name

    assert loop.submit(name()).result(PATIENCE_S) == "test-loop"


def test_a_loop_waits_without_registrations_that_another_process_can_use_up() -> None:
    """`fs.epoll.max_user_watches` counts for all processes of a user."""
    before = epoll_descriptors()
    loop = LoopThread("test-loop")
    loop.start()
    try:
        assert loop.submit(asyncio.sleep(0, "turned")).result(PATIENCE_S) == "turned"
        assert epoll_descriptors() == before
    finally:
        loop.stop()


def epoll_descriptors() -> int:
    kinds = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return kinds.count("anon_inode:[eventpoll]")


def test_an_exception_is_logged_and_in_the_future(loop: LoopThread, caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("no good")

    with pytest.raises(ValueError, match="no good"):
        loop.submit(fail()).result(PATIENCE_S)
    loop.stop()
    assert "loop test-loop: a coroutine failed" in caplog.text


def test_a_function_is_called_on_the_loop(loop: LoopThread) -> None:
    called = threading.Event()
    loop.call(called.set)

    assert called.wait(PATIENCE_S)


def test_stopping_cancels_what_runs_and_ends_the_thread(loop: LoopThread) -> None:
    begun, cleaned = threading.Event(), threading.Event()

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    future = loop.submit(wait())
    assert begun.wait(PATIENCE_S)
    loop.stop()

    assert cleaned.is_set()
    with pytest.raises(CancelledError):
        future.result(PATIENCE_S)
    assert not [t for t in threading.enumerate() if t.name == "test-loop"]


def test_a_stopped_loop_runs_nothing_and_says_so(loop: LoopThread) -> None:
    async def never() -> None:
        pytest.fail("it has stopped")

    loop.stop()
    loop.stop()
    loop.call(lambda: pytest.fail("it has stopped"))

    assert loop.submit(never()).cancelled()
    with pytest.raises(RuntimeError, match="'test-loop' is not running"):
        loop.loop  # noqa: B018


def test_what_is_submitted_while_the_loop_stops_is_refused_and_not_forgotten(loop: LoopThread) -> None:
    futures: list[bool] = []

    async def late() -> None:
        return None

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            futures.append(loop.submit(late()).cancelled())

    begun = threading.Event()
    loop.submit(wait())
    assert begun.wait(PATIENCE_S)
    loop.stop()

    assert futures == [True]


def test_a_loop_is_started_once(loop: LoopThread) -> None:
    with pytest.raises(RuntimeError, match="already started"):
        loop.start()


def test_a_loop_that_was_not_started_stops_and_refuses() -> None:
    loop = LoopThread("idle")
    loop.stop()

    with pytest.raises(RuntimeError, match="'idle' is not running"):
        loop.loop  # noqa: B018


def test_a_loop_whose_thread_cannot_be_had_stops_and_may_be_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    loop, called = LoopThread("test-loop"), threading.Event()
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            loop.start()
    loop.stop()
    loop.start()
    loop.call(called.set)
    assert called.wait(PATIENCE_S)
    loop.stop()


def test_the_loop_may_stop_itself(loop: LoopThread) -> None:
    loop.call(loop.stop)
    for thread in [t for t in threading.enumerate() if t.name == "test-loop"]:
        thread.join(PATIENCE_S)

    assert not [t for t in threading.enumerate() if t.name == "test-loop"]


@pytest.mark.crashes
def test_a_loop_that_ends_by_itself_says_so(loop: LoopThread, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    loop.loop.call_soon_threadsafe(loop.loop.stop)
    for thread in [t for t in threading.enumerate() if t.name == "test-loop"]:
        thread.join(PATIENCE_S)

    assert "loop test-loop ended by itself" in caplog.text


def test_a_connection_that_was_closed_with_bytes_left_ends_with_the_loop(loop: LoopThread) -> None:
    """The other side does not read, so closing alone would wait for ever; it sees the end."""

    async def send(port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(bytes(50_000_000))
        writer.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        loop.submit(send(server.getsockname()[1])).result(PATIENCE_S)
        with server.accept()[0] as reader:
            loop.stop()
            reader.settimeout(PATIENCE_S)
            with suppress(ConnectionResetError):
                while reader.recv(1 << 20):
                    pass


class _RestlessLock:
    """Lock with a turn for other threads around each use, so that unlocked work meets their work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        time.sleep(1e-5)
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        time.sleep(1e-5)


class TestQueue:
    """Requests of other threads to a loop."""

    @pytest.fixture
    def hold_loop(self, loop: LoopThread) -> Iterator[threading.Event]:
        """The loop is at something until this is set."""
        begun, release = threading.Event(), threading.Event()

        def hold() -> None:
            begun.set()
            release.wait(PATIENCE_S)

        loop.call(hold)
        assert begun.wait(PATIENCE_S)
        yield release
        release.set()

    def wakings(self, loop: LoopThread, monkeypatch: pytest.MonkeyPatch) -> list[Callable[..., Any]]:
        """Calls that wake the loop from now on."""
        woken_for: list[Callable[..., Any]] = []
        wake = loop.loop.call_soon_threadsafe

        def note_call(function: Callable[..., Any], *args: Any, **how: Any) -> asyncio.Handle:
            woken_for.append(function)
            return wake(function, *args, **how)

        monkeypatch.setattr(loop.loop, "call_soon_threadsafe", note_call)
        return woken_for

    def test_the_loop_is_woken_once_for_all_that_waits(
        self, loop: LoopThread, hold_loop: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wakings = self.wakings(loop, monkeypatch)
        called: list[int] = []
        for number in range(100):
            loop.call(called.append, number)
        hold_loop.set()
        loop.submit(asyncio.sleep(0)).result(PATIENCE_S)
        assert called == list(range(100))
        assert len(wakings) <= 2

    def test_what_comes_while_the_queue_is_worked_off_wakes_it_again(self, loop: LoopThread) -> None:
        """No other thread would: the call waits on the loop itself, without other work."""
        done = threading.Event()
        loop.call(lambda: loop.call(lambda: loop.call(done.set)))
        assert done.wait(PATIENCE_S)

    def test_calls_and_coroutines_begin_in_the_order_of_their_caller(
        self, loop: LoopThread, hold_loop: threading.Event
    ) -> None:
        begun: list[int] = []

        async def begin(number: int) -> None:
            begun.append(number)

        futures = []
        for number in range(0, 100, 2):
            futures.append(loop.submit(begin(number)))
            futures.append(loop.submit(begin(number + 1)))
        hold_loop.set()
        for future in futures:
            future.result(PATIENCE_S)
        assert begun == list(range(100))

    def test_no_call_is_forgotten_however_callers_and_loop_meet(
        self, loop: LoopThread, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each caller waits for each of its pairs of calls, so that the loop falls asleep between any two of them."""
        monkeypatch.setattr(loop, "_lock", _RestlessLock())
        callers, rounds = 4, 300
        heard: dict[int, list[int]] = defaultdict(list)
        lost: list[tuple[int, int]] = []

        def call_all(caller: int) -> None:
            for number in range(rounds):
                done = threading.Event()
                loop.call(heard[caller].append, number)
                loop.call(done.set)
                if not done.wait(PATIENCE_S):
                    lost.append((caller, number))
                    return

        threads = [threading.Thread(target=call_all, args=(caller,)) for caller in range(callers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not lost
        assert [heard[caller] for caller in range(callers)] == [list(range(rounds))] * callers

    def test_one_that_fails_is_logged_and_keeps_none_behind_it(
        self, loop: LoopThread, hold_loop: threading.Event, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail(error: BaseException) -> None:
            raise error

        done = threading.Event()
        loop.call(fail, ValueError("no good"))
        loop.call(fail, asyncio.CancelledError())
        loop.call(done.set)
        hold_loop.set()
        assert done.wait(PATIENCE_S)
        assert "failed, called on loop test-loop" in caplog.text

    def test_one_does_not_see_what_another_sets_in_its_context(
        self, loop: LoopThread, hold_loop: threading.Event
    ) -> None:
        said: ContextVar[str] = ContextVar("said", default="nothing")
        seen: list[str] = []
        loop.call(said.set, "something")
        loop.call(lambda: seen.append(said.get()))
        hold_loop.set()
        loop.submit(asyncio.sleep(0)).result(PATIENCE_S)
        assert seen == ["nothing"]

    def test_what_waits_when_the_loop_is_stopped_is_called_before(self, loop: LoopThread) -> None:
        begun, release, called = threading.Event(), threading.Event(), threading.Event()

        def hold() -> None:
            begun.set()
            release.wait(PATIENCE_S)

        loop.call(hold)
        assert begun.wait(PATIENCE_S)
        loop.call(called.set)
        stopping = threading.Thread(target=loop.stop)
        stopping.start()
        release.set()
        stopping.join()
        assert called.is_set()

    @pytest.mark.crashes
    def test_who_waits_is_told_when_the_loop_ends_before_their_turn(
        self, loop: LoopThread, hold_loop: threading.Event, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.CRITICAL)

        def leave() -> None:
            raise SystemExit

        async def never() -> None:
            pytest.fail("the loop has ended")

        loop.call(leave)
        future = loop.submit(never())
        loop.call(pytest.fail, "the loop has ended")
        hold_loop.set()
        with pytest.raises(CancelledError):
            future.result(PATIENCE_S)
        with pytest.raises(LoopEndedError):
            self.call_until_it_has_ended(loop)
        assert "loop test-loop ended by itself" in caplog.text

    @pytest.mark.crashes
    def test_what_was_queued_when_the_loop_ended_by_itself_is_told_so(
        self, loop: LoopThread, hold_loop: threading.Event, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The loop was stopped from outside while the queue filled, and never reads the queue again."""
        caplog.set_level(logging.CRITICAL)
        loop.loop.call_soon_threadsafe(loop.loop.stop)

        async def late() -> None:
            return None

        entered = threading.Event()

        def fill() -> None:
            entered.set()
            futures.append(loop.submit(late()))

        futures: list[Any] = []
        loop.loop.call_soon_threadsafe(fill)  # In the last round of the loop.
        hold_loop.set()
        assert entered.wait(PATIENCE_S)
        with pytest.raises(LoopEndedError):
            self.call_until_it_has_ended(loop)
        with pytest.raises(CancelledError):
            futures[0].result(PATIENCE_S)

    def call_until_it_has_ended(self, loop: LoopThread) -> None:
        for thread in [t for t in threading.enumerate() if t.name == "test-loop"]:
            thread.join(PATIENCE_S)
        loop.call(print)

    def test_a_future_that_is_cancelled_cancels_what_runs(self, loop: LoopThread) -> None:
        begun, cleaned = threading.Event(), threading.Event()

        async def wait() -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                cleaned.set()

        future = loop.submit(wait())
        assert begun.wait(PATIENCE_S)
        assert future.cancel()
        assert cleaned.wait(PATIENCE_S)

    def test_a_future_that_is_cancelled_before_its_turn_runs_nothing(
        self, loop: LoopThread, hold_loop: threading.Event
    ) -> None:
        begun = threading.Event()

        async def never() -> None:
            begun.set()

        coroutine = never()
        future = loop.submit(coroutine)
        assert future.cancel()
        hold_loop.set()
        loop.submit(asyncio.sleep(0)).result(PATIENCE_S)
        assert future.cancelled()
        assert not begun.is_set()
        assert inspect.getcoroutinestate(coroutine) == inspect.CORO_CLOSED


def test_a_last_coroutine_that_takes_too_long_is_cancelled_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    ended = threading.Event()

    async def close() -> None:
        try:
            await asyncio.sleep(PATIENCE_S)
        finally:
            ended.set()

    loop = LoopThread("test-loop")
    loop.start()
    loop.end(close(), 0.01, "connections were not closed")
    assert ended.is_set()
    assert "connections were not closed" in caplog.messages
    with pytest.raises(RuntimeError, match="not running"):
        _ = loop.loop


def test_a_loop_that_is_ended_runs_its_last_coroutine(caplog: pytest.LogCaptureFixture) -> None:
    ended = threading.Event()

    async def close() -> None:
        ended.set()

    loop = LoopThread("test-loop")
    loop.start()
    loop.end(close(), PATIENCE_S, "connections were not closed")
    assert ended.is_set()
    assert not caplog.messages
