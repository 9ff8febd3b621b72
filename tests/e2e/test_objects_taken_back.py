"""Words that were taken back, where files and outputs are objects: whatever came of them is shown nowhere any more."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import actors.context.retraction
from actors.objects.observer import Observer
from domain.log.event import Kind
from lab.loopback_model.server import Answer as LoopbackAnswer
from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Stage, events
from tests.e2e.test_objects import SKILL, bash, results, started
from tests.patience import PATIENCE_S, eventually

OUTPUT = "printf 'SEC''RET\\n'"


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel() as made:
        yield made


@pytest.fixture
def stage(server: PlaygroundServer, model: LoopbackModel, tmp_path: Path) -> Iterator[Stage]:
    made = started(server, model, tmp_path)
    yield made
    made.stop()


def said(stage: Stage, model: LoopbackModel, *rounds: str) -> int:
    """Id of a message that has commands run."""
    model.script(*(bash(command) for command in rounds), LoopbackAnswer("Done."))
    message = stage.server.say(GENERAL_ID, "Go on")
    stage.server.wait_for_reply(GENERAL_ID, after=message, timeout_s=PATIENCE_S)
    return message


def taken_back(stage: Stage, message: int) -> None:
    """Delete a message; the log says that it is, or is to be, taken back."""

    def records() -> int:
        found = events(stage.data, "discord-channel", GENERAL_ID)
        return sum(event.kind is Kind.TOMBSTONE or "deletion-deferred" in str(event.meta_dict()) for event in found)

    before = records()
    stage.server.delete(GENERAL_ID, message)
    eventually(lambda: records() > before)


@pytest.mark.parametrize("verb", ["activate", "pin"])
def test_an_output_that_was_brought_back_goes_with_the_message_that_it_came_of(
    stage: Stage, model: LoopbackModel, verb: str
) -> None:
    message = said(stage, model, OUTPUT)
    said(stage, model, f"{SKILL} deactivate t1")
    said(stage, model, f"{SKILL} {verb} t1")
    said(stage, model, "true")
    assert "SECRET" in json.dumps(model.requests()[-1].body)
    taken_back(stage, message)
    said(stage, model, f"{SKILL} show t1")
    assert "SECRET" not in json.dumps(model.requests()[-1].body)


def test_what_is_to_be_taken_back_later_can_be_read_nowhere(
    stage: Stage, model: LoopbackModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = said(stage, model, "true"), said(stage, model, OUTPUT)
    monkeypatch.setattr(actors.context.retraction, "LOOKS_APART", 1e9)
    monkeypatch.setattr(actors.context.retraction, "MOST_APART_S", 600.0)
    taken_back(stage, first)
    taken_back(stage, second)
    said(stage, model, f"{SKILL} show t2; {SKILL} show chat")
    assert "taken back" in results(model)[-1]
    assert "SECRET" not in json.dumps(model.requests()[-1].body)
    assert "SEC''RET" not in json.dumps(model.requests()[-1].body)


def test_a_wording_that_is_late_brings_nothing_back(
    stage: Stage, model: LoopbackModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = said(stage, model, OUTPUT)
    said(stage, model, f"{SKILL} deactivate t1")
    said(stage, model, f"{SKILL} activate t1")
    assert "SECRET" in json.dumps(model.requests()[-1].body)
    taken_back(stage, message)
    fold = Observer.fold

    def slowly(*given: Any) -> Any:
        time.sleep(2.0)  # longer than a request waits
        return fold(*given)

    monkeypatch.setattr(Observer, "fold", slowly)
    said(stage, model)
    assert "SECRET" not in json.dumps(model.requests()[-1].body)
