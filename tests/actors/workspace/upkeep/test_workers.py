"""Workers: one at a time, each with its own end."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from actors.workspace.upkeep.workers import LONGEST_ANSWER
from messages.model import Usage
from tests.actors.workspace.rig import FOUND, ON, STATE, WorkspaceRig, reply_of


@pytest.fixture
def rig(tmp_path: Path) -> WorkspaceRig:
    return WorkspaceRig(tmp_path, **ON)


def test_one_window_has_one_call_at_a_time(rig: WorkspaceRig) -> None:
    rig.turn("one", calls=4)
    request = rig.prepare_compaction([rig.add_turn("two")])
    (first,) = rig.requests()
    assert first.purpose == "workspace.session"
    rig.tell(reply_of(first, "nonsense"))
    rig.settle(3.0)
    assert [each.purpose for each in rig.requests()] == ["workspace.session"]
    assert not rig.is_answered(request)


def test_one_that_had_its_time_is_given_up_and_what_it_cost_is_counted_even_so(rig: WorkspaceRig) -> None:
    rig.turn("one", calls=4)
    (asked,) = rig.requests()
    rig.settle(30.0)
    assert rig.withdrawn_requests() == [asked.request_id]
    rig.tell(reply_of(asked, "{}"))
    rig.settle()
    assert rig.counted == [Usage(prompt_tokens=5, cost_usd=0.25)]


def test_after_a_failure_three_turns_pass_without_one(rig: WorkspaceRig) -> None:
    rig.turn("one", calls=4)
    rig.work("session", None)
    for number in range(2):
        rig.turn(f"{number}", calls=4)
        assert rig.requests() == []
    rig.turn("more", calls=4)
    rig.work("session", STATE)


def test_no_secret_is_told_to_a_model_or_written(tmp_path: Path) -> None:
    rig = WorkspaceRig(tmp_path, **ON, secrets=frozenset({"hunter2-the-long-one"}))
    rig.write("SESSION.md", "# Constraints\n- The key is hunter2-the-long-one\n")
    rig.prepare_compaction([rig.add_turn("It is hunter2-the-long-one, mind.")])
    asked = rig.work("session", {**STATE, "constraints": ["The key is hunter2-the-long-one always"]})
    other = rig.work("consolidate", {**FOUND, "history": "They said hunter2-the-long-one."})
    assert "hunter2" not in asked.messages[0].text + other.messages[0].text
    assert "hunter2" not in rig.text("MEMORY.md") + rig.text("HISTORY.md")
    refused = "".join(path.read_text() for path in rig.agent.glob("refused-*"))
    assert "hunter2" not in refused


def test_an_answer_that_is_too_long_is_refused_unread_and_one_of_the_greatest_length_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for number, (answer, is_used) in enumerate(
        [
            (json.dumps(STATE).ljust(LONGEST_ANSWER), True),
            (json.dumps(STATE).ljust(LONGEST_ANSWER + 1), False),
            ("x" * 1_000_000, False),
        ]
    ):
        rig = WorkspaceRig(tmp_path / str(number), **ON)
        rig.turn("one", calls=4)
        before = rig.texts
        caplog.clear()
        rig.work("session", answer)
        assert (rig.texts != before) is is_used
        reason = f"worker for session has {len(answer):,} characters: must have at most {LONGEST_ANSWER:,}"
        assert (reason in caplog.text) is not is_used
        assert list(rig.agent.glob("refused-*")) == [], "no part of it was looked into"
        assert rig.counted == [Usage(prompt_tokens=5, cost_usd=0.25)]
