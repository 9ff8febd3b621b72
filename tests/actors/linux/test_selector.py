"""Loops and their selector while the kernel registers no descriptor, some, or all."""

from __future__ import annotations

import asyncio
import errno
import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from selectors import EVENT_READ, EVENT_WRITE, SelectorKey
from typing import Any

import pytest

from actors.kernel import LoopThread
from actors.linux.selector import OverflowSelector
from tests.patience import PATIENCE_S

BOTH = EVENT_READ | EVENT_WRITE


class Refusals:
    """Which registrations epoll refuses, and with what; those of `spared` it takes."""

    def __init__(self) -> None:
        self.error = errno.ENOSPC
        self.spared: set[int] = set()
        self.are_on = True
        self.count = 0

    def __call__(self, descriptor: int) -> None:
        if self.are_on and descriptor not in self.spared:
            self.count += 1
            raise OSError(self.error, os.strerror(self.error))


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> Refusals:
    """Makes epoll refuse as the kernel does, after what is checked before."""
    refuse, register = Refusals(), selectors.EpollSelector.register

    def refusing(self: Any, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
        key = register(self, fileobj, events, data)
        try:
            refuse(key.fd)
        except OSError:
            self_unregister(self, fileobj)
            raise
        return key

    self_unregister = selectors.EpollSelector.unregister
    monkeypatch.setattr(selectors.EpollSelector, "register", refusing)
    return refuse


@pytest.fixture
def selector(refusals: Refusals) -> Iterator[OverflowSelector]:
    selector = OverflowSelector()
    yield selector
    selector.close()


@pytest.fixture
def pairs() -> Iterator[list[tuple[socket.socket, socket.socket]]]:
    made = [socket.socketpair() for _ in range(3)]
    yield made
    for pair in made:
        for end in pair:
            end.close()


Pairs = list[tuple[socket.socket, socket.socket]]


def ready(selector: OverflowSelector, timeout: float | None = 0) -> dict[Any, int]:
    return {key.data: events for key, events in selector.select(timeout)}


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.ENOMEM])
def test_what_epoll_refuses_is_watched_all_the_same(
    selector: OverflowSelector, refusals: Refusals, pairs: Pairs, error: int
) -> None:
    refusals.error = error
    (a, b), *_ = pairs
    key = selector.register(a, EVENT_READ, "a")
    assert key == SelectorKey(a, a.fileno(), EVENT_READ, "a")
    assert ready(selector) == {}
    b.send(b"1")
    assert ready(selector, None) == {"a": EVENT_READ}


def test_another_error_of_epoll_is_raised(selector: OverflowSelector, refusals: Refusals, pairs: Pairs) -> None:
    refusals.error = errno.EPERM
    with pytest.raises(PermissionError):
        selector.register(pairs[0][0], EVENT_READ)
    assert len(selector.get_map()) == 0


def test_both_kinds_are_waited_for_together(selector: OverflowSelector, refusals: Refusals, pairs: Pairs) -> None:
    (a, b), (c, d), _ = pairs
    refusals.spared = {a.fileno()}
    selector.register(a, EVENT_READ, "epoll")
    selector.register(c, BOTH, "poll")
    assert ready(selector, None) == {"poll": EVENT_WRITE}
    b.send(b"1")
    assert ready(selector, None) == {"epoll": EVENT_READ, "poll": EVENT_WRITE}
    d.send(b"1")
    assert ready(selector, None) == {"epoll": EVENT_READ, "poll": BOTH}
    selector.modify(c, EVENT_WRITE, "less")
    assert ready(selector, None) == {"epoll": EVENT_READ, "less": EVENT_WRITE}
    a.recv(1)
    selector.modify(a, EVENT_WRITE, "writes")
    assert ready(selector, None) == {"writes": EVENT_WRITE, "less": EVENT_WRITE}


def test_each_is_unregistered_where_it_is_and_epoll_alone_is_left(
    selector: OverflowSelector, refusals: Refusals, pairs: Pairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    (a, _), (c, _), (e, _) = pairs
    refusals.spared = {a.fileno()}
    for name, end in (("a", a), ("c", c), ("e", e)):
        selector.register(end, EVENT_WRITE, name)
    assert selector.unregister(c).data == "c"
    assert ready(selector) == {"a": EVENT_WRITE, "e": EVENT_WRITE}
    assert selector.unregister(a).data == "a"
    assert ready(selector) == {"e": EVENT_WRITE}
    assert selector.unregister(e).data == "e"
    assert ready(selector) == {}
    with pytest.raises(KeyError):
        selector.unregister(e)
    refusals.are_on = False
    selector.register(c, EVENT_WRITE, "again")
    monkeypatch.setattr(selector, "_poll", None)
    assert ready(selector) == {"again": EVENT_WRITE}


def test_none_is_registered_twice_even_when_epoll_has_room_again(
    selector: OverflowSelector, refusals: Refusals, pairs: Pairs
) -> None:
    a = pairs[0][0]
    selector.register(a, EVENT_READ)
    with pytest.raises(KeyError, match="already registered"):
        selector.register(a, EVENT_READ)
    refusals.are_on = False
    with pytest.raises(KeyError, match="already registered"):
        selector.register(a.fileno(), EVENT_READ)


def test_the_map_has_both_kinds_by_file_and_by_descriptor(
    selector: OverflowSelector, refusals: Refusals, pairs: Pairs
) -> None:
    (a, _), (c, _), (e, _) = pairs
    refusals.spared = {a.fileno()}
    selector.register(a, EVENT_READ, "a")
    selector.register(c, EVENT_READ, "c")
    assert set(selector.get_map()) == {a.fileno(), c.fileno()}
    assert len(selector.get_map()) == 2
    assert [selector.get_key(end).data for end in (a, c, a.fileno(), c.fileno())] == ["a", "c", "a", "c"]
    assert e not in selector.get_map()
    with pytest.raises(KeyError):
        selector.get_key(e)


@pytest.mark.parametrize("events", [0, 4, BOTH | 8])
def test_events_that_are_none_are_refused_by_both(selector: OverflowSelector, pairs: Pairs, events: int) -> None:
    a = pairs[0][0]
    with pytest.raises(ValueError, match="nvalid events"):
        selector.register(a, events)
    selector.register(a, EVENT_READ)
    with pytest.raises(ValueError, match="EVENT_READ, EVENT_WRITE or both"):
        selector.modify(a, events)


def test_a_closed_file_is_not_ready_for_ever_and_can_be_unregistered(selector: OverflowSelector, pairs: Pairs) -> None:
    (a, _), (c, d), _ = pairs
    selector.register(a, EVENT_READ, "a")
    selector.register(c, EVENT_READ, "c")
    a.close()
    assert ready(selector) == {}
    began = time.monotonic()
    assert ready(selector, 0.05) == {}
    assert time.monotonic() - began >= 0.05
    d.send(b"1")
    assert ready(selector, None) == {"c": EVENT_READ}
    assert selector.unregister(a).data == "a"


def test_the_other_sides_end_is_told_to_readers_and_writers(selector: OverflowSelector, pairs: Pairs) -> None:
    a, b = pairs[0]
    selector.register(a, BOTH, "a")
    b.close()
    assert ready(selector, None) == {"a": BOTH}


def test_timeouts_are_kept(selector: OverflowSelector, pairs: Pairs) -> None:
    selector.register(pairs[0][0], EVENT_READ)
    for timeout, least in ((-1.0, 0.0), (0.0, 0.0), (0.02, 0.02)):
        began = time.monotonic()
        assert selector.select(timeout) == []
        assert least <= time.monotonic() - began < PATIENCE_S


def test_a_signal_does_not_end_the_wait_in_an_error(selector: OverflowSelector, pairs: Pairs) -> None:
    a, b = pairs[0]
    selector.register(a, EVENT_READ, "a")
    before = signal.signal(signal.SIGALRM, lambda *_: b.send(b"1"))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        assert ready(selector, PATIENCE_S) == {"a": EVENT_READ}
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_handlers_interrupted_error_is_nothing_ready(
    selector: OverflowSelector, pairs: Pairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def poll(self, _: object) -> list[tuple[int, int]]:
            raise InterruptedError

    selector.register(pairs[0][0], EVENT_READ)
    monkeypatch.setattr(selector, "_poll", Interrupted())
    assert selector.select(None) == []


def test_closed_it_has_no_keys_and_no_descriptor(refusals: Refusals, pairs: Pairs) -> None:
    with OverflowSelector() as selector:
        selector.register(pairs[0][0], EVENT_READ)
        descriptor = selector.fileno()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
    assert selector.get_map() is None
    with pytest.raises(RuntimeError, match="closed"):
        selector.get_key(pairs[0][0])
    selector.close()


@pytest.fixture(params=["all", "every second"])
def loop(refusals: Refusals, request: pytest.FixtureRequest) -> Iterator[LoopThread]:
    """A loop for whose descriptors epoll has no room, or only for some."""
    if request.param == "every second":
        refusals.spared = set(range(0, 4096, 2))
    loop = LoopThread("refused-loop")
    loop.start()
    yield loop
    loop.stop()
    assert refusals.count > 0 or refusals.spared, "of some numbers all may be even"


def test_a_loop_reads_and_writes_by_callbacks(loop: LoopThread, pairs: Pairs) -> None:
    a, b = pairs[0]
    for end in (a, b):
        end.setblocking(False)

    async def run() -> tuple[bytes, bool]:
        running, came = asyncio.get_running_loop(), asyncio.Event()
        running.add_reader(a, came.set)
        running.add_writer(b, came.set)
        await asyncio.wait_for(came.wait(), PATIENCE_S)
        assert running.remove_writer(b)
        came.clear()
        b.send(b"hello")
        await asyncio.wait_for(came.wait(), PATIENCE_S)
        assert running.remove_reader(a)
        return a.recv(10), running.remove_reader(a)

    assert loop.submit(run()).result(PATIENCE_S) == (b"hello", False)


def test_a_loop_reads_from_sockets(loop: LoopThread, pairs: Pairs) -> None:
    a, b = pairs[0]
    for end in (a, b):
        end.setblocking(False)

    async def run() -> bytes:
        running = asyncio.get_running_loop()
        reading = asyncio.ensure_future(running.sock_recv(a, 10))
        await asyncio.sleep(0)
        await running.sock_sendall(b, b"hello")
        return await asyncio.wait_for(reading, PATIENCE_S)

    assert loop.submit(run()).result(PATIENCE_S) == b"hello"


def test_a_loop_serves_and_connects(loop: LoopThread) -> None:
    much = bytes(range(256)) * 8192

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(len(much)))
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def exchange(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(much)
        await writer.drain()
        got = await reader.read(-1)
        writer.close()
        await writer.wait_closed()
        return got

    async def run() -> list[bytes]:
        async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return await asyncio.gather(*(exchange(port) for _ in range(5)))

    assert loop.submit(run()).result(PATIENCE_S) == [much] * 5


def test_a_loop_is_woken_by_other_threads(loop: LoopThread) -> None:
    called = threading.Event()
    loop.call(called.set)
    assert called.wait(PATIENCE_S)


def test_a_loop_that_was_refused_is_plain_again_when_its_overflow_is_empty(
    refusals: Refusals, pairs: Pairs, caplog: pytest.LogCaptureFixture
) -> None:
    a, b = pairs[0]
    selector = OverflowSelector()
    refusals.are_on = False
    loop = asyncio.SelectorEventLoop(selector)
    try:
        refusals.are_on = True
        until_ready(loop, a, b)
        assert "those are polled" in caplog.text
        caplog.clear()
        until_ready(loop, a, b)
        assert "those are polled" not in caplog.text, "it is said once"
        assert selector._overflow == {}
    finally:
        loop.close()


def until_ready(loop: asyncio.AbstractEventLoop, a: socket.socket, b: socket.socket) -> None:
    stop: Callable[[], None] = loop.stop
    loop.add_reader(a, stop)
    b.send(b"1")
    loop.run_forever()
    a.recv(1)
    assert loop.remove_reader(a)
