from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import ActorSystem
from actors.linux.service_manager import EXTENSION_S, FEED_S, ServiceManager
from tests.actors.kernel.players import Stage
from tests.patience import PATIENCE_S


class Listener:
    """The service manager's end: a datagram socket."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(PATIENCE_S)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)

    def next(self) -> list[str]:
        return self._socket.recv(4096).decode().split("\n")

    def rest(self) -> list[list[str]]:
        self._socket.setblocking(False)
        heard = []
        try:
            while True:
                heard.append(self._socket.recv(4096).decode().split("\n"))
        except BlockingIOError:
            return heard
        finally:
            self._socket.settimeout(PATIENCE_S)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(params=["path", "abstract"])
def listener(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listener]:
    name = f"@notify-{os.getpid()}"
    made = Listener(name if request.param == "abstract" else str(tmp_path_factory.mktemp("n") / "notify"))
    yield made
    made.close()


class Time:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_the_service_is_ready_once_and_then_has_another_status(listener: Listener) -> None:
    manager = ServiceManager(listener.address, 0, Time())
    manager.ready("online as Remembrancer")
    manager.ready("online as\nSomebody else " + "x" * 500)

    assert listener.next() == ["READY=1", "STATUS=online as Remembrancer"]
    (status,) = listener.next()
    assert status.startswith("STATUS=online as Somebody else xxx")
    assert len(status) <= 300


def test_signs_of_life_come_four_times_in_the_limit_once_it_is_ready(listener: Listener) -> None:
    time = Time()
    manager = ServiceManager(listener.address, 60, time)
    manager.ready("online")
    listener.next()
    for _ in range(240):
        manager.look(())
        time.now_s += 0.25

    assert listener.rest() == [["WATCHDOG=1"]] * 4


def test_no_sign_of_life_comes_while_somebody_is_late_and_the_status_says_who(listener: Listener) -> None:
    time = Time()
    manager = ServiceManager(listener.address, 4, time)
    manager.ready("online")
    listener.next()
    for late in ((), ("loop discord", "memory"), ("loop discord", "memory"), ("memory",), ()):
        time.now_s += 10
        manager.look(late)

    assert listener.rest() == [
        ["WATCHDOG=1"],
        ["STATUS=no answer from loop discord, memory"],
        ["STATUS=no answer from memory"],
        ["STATUS=online"],
        ["WATCHDOG=1"],
    ]


def test_a_start_that_goes_on_is_given_more_time_and_one_that_hangs_is_not(listener: Listener) -> None:
    time = Time()
    manager = ServiceManager(listener.address, 0, time)
    manager.look(())
    time.now_s += FEED_S
    manager.look(())
    time.now_s += FEED_S
    manager.look(("memory",))

    extension = [f"EXTEND_TIMEOUT_USEC={round(EXTENSION_S * 1e6)}"]
    assert listener.rest() == [extension, extension, ["STATUS=no answer from memory"]]


def test_who_stops_says_so_once_and_is_not_ready_any_more(listener: Listener) -> None:
    manager = ServiceManager(listener.address, 0, Time())
    manager.stopping("memory crashed 6 times")
    manager.stopping("memory crashed 6 times")
    manager.ready("online")

    assert [fields[0] for fields in listener.rest()] == [
        "STOPPING=1",
        "STATUS=memory crashed 6 times",
        "STATUS=online",
    ]


def test_the_variables_are_taken_out_of_the_environment(listener: Listener) -> None:
    environ = {"NOTIFY_SOCKET": listener.address, "WATCHDOG_USEC": "8000000", "WATCHDOG_PID": "1", "HOME": "/"}
    time = Time()
    manager = ServiceManager.of(environ, time)
    manager.ready("online")
    for _ in range(8):
        manager.look(())
        time.now_s += 1

    assert environ == {"HOME": "/"}
    assert len(listener.rest()) == 1 + 4


def test_without_a_service_manager_nothing_happens(caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests) -> None:
    for address in ["", "vsock:2:1", "relative", "@"]:
        with subtests.test(address=address):
            manager = ServiceManager.of({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "-3"}, Time())
            manager.look(())
            manager.ready("online")
            manager.stopping("over")

            assert address == "@" or caplog.records == []


def test_a_service_manager_that_is_gone_harms_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    manager = ServiceManager(str(tmp_path / "gone"), 0, Time())
    with caplog.at_level(logging.WARNING):
        manager.ready("online")

    assert "the service manager cannot be notified (READY=1): No such file or directory" in caplog.text


def test_a_system_in_which_an_actor_hangs_gives_no_signs_of_life_until_it_comes_back(listener: Listener) -> None:
    over, hangs = threading.Event(), threading.Event()
    system = ActorSystem(stuck_s=0.5)

    def play(_player: object, _message: object) -> None:
        hangs.set()
        assert over.wait(PATIENCE_S)

    stage = Stage(system, play, core=True, start=False)
    manager = ServiceManager(listener.address, 0.4, system.clock.monotonic)
    looks = threading.Semaphore(0)

    def look(late: tuple[str, ...]) -> None:
        manager.look(late)
        looks.release()

    system.watchdog.on_look = look
    manager.ready("online")
    system.start()
    assert listener.next() == ["READY=1", "STATUS=online"]
    assert listener.next() == ["WATCHDOG=1"]
    stage.tell(1)
    assert hangs.wait(PATIENCE_S)
    while listener.next() != ["STATUS=no answer from player"]:
        pass
    while looks.acquire(blocking=False):
        pass
    for _ in range(8):  # twice the time between two signs of life
        assert looks.acquire(timeout=PATIENCE_S)
    silent = listener.rest()
    over.set()
    while listener.next() != ["WATCHDOG=1"]:
        pass
    system.stop()

    assert silent == []
