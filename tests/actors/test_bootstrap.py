"""The agent's start and its end, which may come in the middle of the start."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from actors import bootstrap
from actors.bootstrap import Agent, Upkeep
from actors.cli.try_it import playground_connection
from actors.context.log.data_root import DataRoot, DataRootError
from actors.context.log.recovery import CalledOffError, Recovery
from actors.context.part import MOST_IDLE
from actors.kernel import ActorSystem
from actors.settings.load import load
from lab.playground.server import PlaygroundServer
from messages.base import CONTEXT_KIND
from tests.patience import PATIENCE_S


def agent(server: PlaygroundServer, folder: Path) -> Agent:
    settings = load(environ={}, folder=folder, overrides={"data_root": str(folder / "data")})
    return Agent(settings, {}, playground_connection(server), lambda _name: None)


def is_free(data_root: Path) -> bool:
    """True if another agent could hold the data root."""
    root = DataRoot(data_root)
    root.hold()
    root.release()
    return True


def test_an_end_asked_for_during_the_survey_starts_nobody(
    server: PlaygroundServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = agent(server, tmp_path)

    answers: list[bool] = []

    def survey(root: Path, is_called_off: Callable[[], bool], **_: object) -> Recovery:
        answers.append(is_called_off())
        ending.end()
        answers.append(is_called_off())
        raise CalledOffError

    monkeypatch.setattr(bootstrap, "survey", survey)
    ending.start()
    assert answers == [False, True]
    assert ending.system.mailboxes() == []
    ending.wait()
    ending.stop()
    assert ending.exit_code == 0
    assert is_free(tmp_path / "data")


def test_an_end_asked_for_while_actors_start_leaves_the_others_alone(
    server: PlaygroundServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = agent(server, tmp_path)
    started: list[str] = []
    schedule = ActorSystem.schedule

    def note_start(system: ActorSystem, mailbox: object) -> None:
        started.append(mailbox.address.kind)  # type: ignore[attr-defined]
        schedule(system, mailbox)  # type: ignore[arg-type]
        ending.end()

    monkeypatch.setattr(ActorSystem, "schedule", note_start)
    ending.start()
    ending.wait()
    ending.stop()
    assert len(set(started)) == 1
    assert is_free(tmp_path / "data")


def test_an_agent_that_was_never_started_ends_without_a_word_to_anybody(
    server: PlaygroundServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = DataRoot(tmp_path / "data")
    root.hold()
    second = agent(server, tmp_path)
    try:
        with pytest.raises(DataRootError, match="another agent uses it"):
            second.start()
        second.stop()
    finally:
        root.release()
    assert caplog.messages == []


def test_while_the_agent_lives_free_memory_goes_back_now_and_then(
    server: PlaygroundServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    living, done = agent(server, tmp_path), list[str]()

    def trim() -> bool:
        done.append("trimmed")
        if done.count("trimmed") == 3:
            living.end()
        return True

    monkeypatch.setattr(bootstrap, "bound_heaps", lambda: done.append("bounded"))
    upkeep = Upkeep(look_s=0.01, looks_per_trim=2, freeze=lambda: done.append("lives"), trim=trim)
    living.start()
    assert done == ["bounded"]
    assert living.system._specs[CONTEXT_KIND].most_idle == MOST_IDLE
    overdue = threading.Timer(PATIENCE_S, living.end)
    overdue.start()
    living.wait(upkeep)
    overdue.cancel()
    living.stop()

    assert done == ["bounded", "lives", "trimmed", "trimmed", "trimmed"]
