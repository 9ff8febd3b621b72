from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import ManualClock
from lab.bench.workspace.agent import BenchAgent, window_of
from lab.bench.workspace.place import embed, files_of, folder
from messages.base import RequestId
from messages.workspace import DescribeSession, SessionDescribed, workspace_of

WINDOW = window_of(1)
LAYER: dict[str, object] = {"layers.workspace": True, "workspace.recall": True}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def place() -> Iterator[Path]:
    with folder() as root:
        yield root


def test_a_turn_is_what_the_model_was_asked_and_what_was_said(place: Path, clock: ManualClock) -> None:
    with BenchAgent(place, lambda _request: "Well then.", embed, {}, clock=clock) as agent:
        first = agent.say(WINDOW, "My cat is called Momo.", 1)
        agent.rest(61)
        second = agent.say(WINDOW, "And yours?", 2)

    assert (first.text, first.waited_s) == ("Well then.", 0.0)
    assert "My cat is called Momo." in first.requests[0].messages[-1].text
    assert [message.text.splitlines()[-1] for message in second.requests[0].messages] == [
        "My cat is called Momo.",
        "Well then.",
        "And yours?",
    ]


def test_another_one_on_the_same_folder_is_the_agent_after_a_restart(place: Path, clock: ManualClock) -> None:
    for number in (1, 2):
        with BenchAgent(place, lambda _request: "Well then.", embed, {}, clock=clock) as agent:
            assert "Message 1." in agent.say(WINDOW, f"Message {number}.", number).requests[0].messages[0].text

    with BenchAgent(place, lambda _request: "Well then.", embed, {}, clock=clock) as agent:
        agent.start_new(WINDOW)
        assert len(agent.say(WINDOW, "Message 3.", 3).requests[0].messages) == 1


def test_a_layer_is_there_with_its_files_and_can_be_asked(place: Path, clock: ManualClock) -> None:
    with BenchAgent(place, lambda _request: "Well then.", embed, LAYER, clock=clock) as agent:
        agent.say(WINDOW, "Hello.", 1)
        request = DescribeSession(request_id=RequestId("d"), reply_to=agent.edge.address, window=WINDOW)
        assert isinstance(agent.ask(workspace_of(WINDOW), request), SessionDescribed)

    assert (files_of(place, WINDOW) / "MEMORY.md").exists()


def test_a_model_that_says_nothing_is_waited_for_only_so_long(place: Path, clock: ManualClock) -> None:
    agent = BenchAgent(place, lambda _request: None, embed, {"memory.enabled": False}, clock=clock)
    with pytest.raises(TimeoutError, match="nothing came within 150 s"):
        agent.say(WINDOW, "Hello.", 1)
    agent.stop()
