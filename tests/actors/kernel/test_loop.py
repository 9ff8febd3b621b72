from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress

import pytest

from actors.kernel import LoopThread
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

    assert loop.submit(name()).result(5) == "test-loop"


def test_an_exception_is_logged_and_in_the_future(loop: LoopThread, caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("no good")

    with pytest.raises(ValueError, match="no good"):
        loop.submit(fail()).result(5)
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
        future.result(5)
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
    """Nobody reads them, so that closing alone would wait for ever; the other side sees the end."""

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
