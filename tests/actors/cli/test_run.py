"""`agent run` as a service: notices to the service manager, and ends."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel.liveness import Liveness
from actors.kernel.watchdog import Watchdog
from actors.linux.service_manager import ServiceManager
from lab.playground.server import PlaygroundServer
from tests.actors.linux.test_service_manager import Listener
from tests.e2e.stage import CHECKOUT, Process, Stage
from tests.patience import PATIENCE_S
from tests.running_playground import server as server

LIMIT_US = 2_000_000


@pytest.fixture
def manager(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """The service manager of whatever this test starts."""
    made = Listener(str(tmp_path_factory.mktemp("n") / "notify"))
    monkeypatch.setenv("NOTIFY_SOCKET", made.address)
    monkeypatch.setenv("WATCHDOG_USEC", str(LIMIT_US))
    yield made
    made.close()


def heard_until(manager: Listener, field: str) -> list[str]:
    """Everything up to `field`, which comes."""
    heard: list[str] = []
    while field not in heard:
        heard += manager.next()
    return heard


def test_a_service_is_ready_when_the_bot_is_online_alive_while_all_answer_and_says_that_it_stops(
    server: PlaygroundServer, manager: Listener, tmp_path: Path
) -> None:
    process = Process(server, tmp_path / "data")
    process.start()
    before = heard_until(manager, "READY=1")
    heard_until(manager, "WATCHDOG=1")
    heard_until(manager, "WATCHDOG=1")
    code = process.terminate()
    at_end = heard_until(manager, "STOPPING=1")

    assert not {"WATCHDOG=1", "STOPPING=1"} & set(before)
    assert any(field.startswith("STATUS=online as ") for field in before)
    assert "STATUS=ending: turns in progress may finish" in at_end
    assert code == 0


@pytest.mark.crashes
def test_an_agent_whose_loop_hangs_gives_no_sign_of_life_and_says_which(
    server: PlaygroundServer, manager: Listener, tmp_path: Path
) -> None:
    over, hangs = threading.Event(), threading.Event()

    def hang() -> None:
        hangs.set()
        assert over.wait(PATIENCE_S)

    stage = Stage(server, tmp_path / "data")
    try:
        system = stage.agent.system
        soon = Liveness(system, 0.5)
        for each in system.watchdog.liveness.loops:
            soon.add(each)
        watchdog = Watchdog(system, 0.5, liveness=soon)
        told = ServiceManager(manager.address, LIMIT_US / 1e6, stage.agent.system.clock.monotonic)
        watchdog.on_look = told.look
        watchdog.start()
        told.ready("online")
        heard_until(manager, "WATCHDOG=1")
        assert set(watchdog.loops) >= {"discord", "model", "socket", "web"}
        loop = next(loop for loop in watchdog.liveness.loops if loop.name == "discord")
        loop.call(hang)
        assert hangs.wait(PATIENCE_S)
        heard_until(manager, "STATUS=no answer from loop discord")
        over.set()
        heard_until(manager, "WATCHDOG=1")
    finally:
        over.set()
        stage.stop()


@pytest.mark.crashes
def test_an_agent_whose_discord_loop_ended_hears_and_answers_again(server: PlaygroundServer, tmp_path: Path) -> None:
    stage = Stage(server, tmp_path / "data")
    try:
        assert "one" in stage.ask("say one")
        loop = next(loop for loop in stage.agent.system.watchdog.liveness.loops if loop.name == "discord")
        stage.online.clear()
        loop.call(sys.exit, 1)
        assert stage.online.wait(PATIENCE_S)
        assert "two" in stage.ask("say two")
        crashes = stage.agent.system.supervisor.crashes()
    finally:
        stage.stop()

    assert crashes == {"discord": 1}


MADE = (
    "import os, queue, signal, sys, threading, time\n"
    "from actors.bootstrap import Agent\n"
    "def fresh():\n"
    "    agent = object.__new__(Agent)\n"
    "    agent._over, agent._ending, agent.exit_code, agent.reason = queue.SimpleQueue(), {}, 0, ''\n"
    "    return agent\n"
    "agent, over = fresh(), False\n"
    "signal.signal(signal.SIGUSR1, lambda *_: agent.end('signal', 3))\n"
)
"""Start of a program that has an agent, at rest, and ends it at a signal."""


def said_by(code: str, folder: Path) -> tuple[str, str]:
    """Stdout and stderr of a program that goes on from `MADE`."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", MADE + code],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={"PYTHONPATH": str(CHECKOUT)},
        cwd=folder,
        check=False,
    )
    return done.stdout, done.stderr


def test_a_signal_that_comes_while_the_main_thread_is_about_to_wait_ends_it_all_the_same(tmp_path: Path) -> None:
    """Signals as fast as they can be sent, and `wait` begun thousands of times: a lock that both take would stay held."""
    code = (
        "def send():\n"
        "    while not over:\n"
        "        os.kill(os.getpid(), signal.SIGUSR1)\n"
        "sender = threading.Thread(target=send)\n"
        "sys.setswitchinterval(1e-5)\n"  # or the sender holds the interpreter for 5 ms each time, and sends for nobody
        "sender.start()\n"
        "for _ in range(2_000):\n"
        "    agent = fresh()\n"
        "    agent.wait()\n"
        "over = True\n"
        "sender.join()\n"
        "print(agent.reason, agent.exit_code)\n"
    )

    assert said_by(code, tmp_path) == ("signal 3\n", "")


def test_a_signal_that_the_system_hands_to_another_thread_ends_it_all_the_same(tmp_path: Path) -> None:
    """One signal, while the main thread waits and is not woken by it."""
    code = (
        "main = threading.main_thread().ident\n"
        "def send():\n"
        "    while sys._current_frames()[main].f_code.co_name != 'wait':\n"
        "        time.sleep(0.01)\n"
        "    time.sleep(0.1)\n"
        "    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)\n"
        "threading.Thread(target=send).start()\n"
        "agent.wait()\n"
        "print(agent.reason, agent.exit_code)\n"
    )

    assert said_by(code, tmp_path) == ("signal 3\n", "")


def test_a_stop_as_soon_as_the_bot_is_online_leaves_no_trace(
    server: PlaygroundServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    process = Process(server, tmp_path / "data")
    process.start()
    code = process.terminate()

    said = capfd.readouterr().err
    assert code == 0
    assert "Traceback" not in said
    assert "failed" not in said
