"""Rows 7-9: actors that crash, hang, or crash again and again, in a whole agent."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import Actor
from actors.kernel.watchdog import Watchdog
from domain.log.event import Kind
from domain.policy.restarts import RestartPolicy
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import CONTEXT_KIND
from messages.context import UserMessage
from tests.actors.kernel.players import Boom
from tests.actors.kernel.test_watchdog import Warnings, Watch
from tests.e2e.stage import Stage, bot_texts, events, of_kind
from tests.patience import PATIENCE_S, eventually

ENDLESS = RestartPolicy(intensity=1_000_000, max_backoff_s=0.1)
"""So that one run can crash every actor over every kind of message; row 9 is about the end."""
RESTARTED_S = 10.0
"""Until whatever crashed is back, on a machine that does much else; `bin/agent bench crashes` measures it."""
Handle = Callable[[Any], None]


def wrap_handlers(monkeypatch: pytest.MonkeyPatch, wrap: Callable[[Actor, Handle], Handle]) -> None:
    """Let every actor that is made from now on handle its messages through `wrap`."""
    attach = Actor.attach

    def attached(actor: Actor, mailbox: Any) -> None:
        attach(actor, mailbox)
        actor.handle = wrap(actor, actor.handle)  # type: ignore[method-assign, assignment]

    monkeypatch.setattr(Actor, "attach", attached)


class OnceEach:
    """Crashes every kind of actor over the first message of each type, and times how long it was away."""

    def __init__(self) -> None:
        self.crashed: Counter[tuple[str, str]] = Counter()
        self.away_s: dict[tuple[str, str], float] = {}
        self._since: dict[str, tuple[tuple[str, str], float]] = {}
        self._lock = threading.Lock()

    def wrap(self, actor: Actor, handle: Handle) -> Handle:
        actor.mailbox.spec = replace(actor.mailbox.spec, policy=ENDLESS)
        actor.on_start = partial(self._start, actor, actor.on_start)  # type: ignore[method-assign]
        return partial(self._handle, actor, handle)

    def _start(self, actor: Actor, start: Callable[[], None]) -> None:
        start()
        with self._lock:
            if (before := self._since.pop(str(actor.address), None)) is not None:
                self.away_s[before[0]] = time.monotonic() - before[1]

    def _handle(self, actor: Actor, handle: Handle, message: Any) -> None:
        kind, name = actor.address.kind, type(message).__name__
        with self._lock:
            if not self.crashed[kind, name]:
                self.crashed[kind, name] += 1
                self._since[str(actor.address)] = (kind, name), time.monotonic()
                raise Boom(name)
        handle(message)


@pytest.mark.req("C-37")
@pytest.mark.crashes
def test_row_07_every_actor_crashed_once_over_every_type_of_message_and_everybody_is_answered(
    server: PlaygroundServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = OnceEach()
    wrap_handlers(monkeypatch, once.wrap)
    threads = [server.create_thread(GENERAL_ID, f"thread {number}") for number in range(3)]
    stage = Stage(server, tmp_path / "data")
    try:
        for number in range(4):
            said = {window: server.say(window, f"run: echo word{number}") for window in (GENERAL_ID, *threads)}
            for window, message in said.items():
                server.wait_for_reply(window, after=message, timeout_s=PATIENCE_S)
        assert "\nquiet" in stage.ask("run: echo quiet")
        assert stage.agent.reason == ""
        assert set(stage.agent.system.supervisor.last_crashes())
        for window in (GENERAL_ID, *threads):
            surface = "discord-channel" if window == GENERAL_ID else "discord-thread"
            logged = of_kind(events(stage.data, surface, window), Kind.USER)
            assert len(logged) == len(set(logged)), "logged twice"
            shown = bot_texts(server, window)
            assert [n for n in range(4) if sum(f"\nword{n}" in text for text in shown) > 1] == []
    finally:
        stage.stop()

    assert {"context", "discord", "memory", "model", "shell", "embedder", "socket"} <= {
        kind for kind, _ in once.crashed
    }
    assert {"UserMessage", "ModelReply", "BashResult", "Delivered"} <= {name for _, name in once.crashed}
    late = {key: round(away_s, 2) for key, away_s in once.away_s.items() if away_s > RESTARTED_S}
    assert late == {}
    assert {"discord", "memory", "model", "shell"} <= {kind for kind, _ in once.away_s}


@pytest.mark.req("C-35")
@pytest.mark.crashes
def test_row_08_a_window_that_hangs_is_named_and_all_others_are_answered(
    server: PlaygroundServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung, over = threading.Event(), threading.Event()

    def wrap(actor: Actor, handle: Handle) -> Handle:
        def handled(message: Any) -> None:
            if isinstance(message, UserMessage) and message.text == "hang":
                hung.set()
                assert over.wait(PATIENCE_S)
            handle(message)

        return handled

    wrap_handlers(monkeypatch, wrap)
    monkeypatch.setattr(Watchdog, "start", lambda _watchdog: None)  # the test's own looks in other seconds
    warnings = Warnings()
    logger = logging.getLogger("actors.kernel.watchdog")
    logger.addHandler(warnings)
    thread = server.create_thread(GENERAL_ID, "hangs")
    stage = Stage(server, tmp_path / "data")
    try:
        watch = Watch(stage.agent.system)
        said = server.say(thread, "hang")
        assert hung.wait(PATIENCE_S)
        watch.look_after(0)
        watch.look_after(60)

        told = [warnings.next() for _ in range(1)]
        assert any(f"{thread} has been handling UserMessage for 60.0 s" in text for text in told), told
        assert "alive" in stage.ask("alive")
        over.set()
        assert "hang" in server.wait_for_reply(thread, after=said, timeout_s=PATIENCE_S)["content"]
    finally:
        over.set()
        stage.stop()
        logger.removeHandler(warnings)


@pytest.mark.req("C-39")
@pytest.mark.crashes
def test_row_09_a_window_that_crashes_for_ever_is_stopped_with_one_alert_and_the_rest_lives(
    server: PlaygroundServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    thread = server.create_thread(GENERAL_ID, "crashes")

    def wrap(actor: Actor, handle: Handle) -> Handle:
        def handled(message: Any) -> None:
            if actor.address.kind == CONTEXT_KIND and actor.address.key.endswith(str(thread)):
                raise Boom("again")
            handle(message)

        return handled

    wrap_handlers(monkeypatch, wrap)
    stage = Stage(server, tmp_path / "data")
    try:
        for number in range(8):
            server.say(thread, f"word {number}")

        def given_up() -> list[str]:
            return [text for text in caplog.messages if str(thread) in text and "crashed 6 times" in text]

        eventually(lambda: bool(given_up()))
        assert len(given_up()) == 1
        assert stage.agent.system.supervisor.crashes() == {CONTEXT_KIND: 6}
        assert "alive" in stage.ask("alive")
        assert (stage.agent.exit_code, stage.agent.reason) == (0, "")
    finally:
        stage.stop()
