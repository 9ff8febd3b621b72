"""Requests that a server refuses for what they hold are mended and sent once more."""

from __future__ import annotations

import itertools
import json

import pytest

from lab.loopback_model.server import Answer, Behaviour, LoopbackModel, Received, Refusal
from messages.model import ChatMessage, ModelFailed, ModelReply, Role
from tests.actors.model.bench import Bench, user


def history(rounds: int, size: int = 400) -> list[ChatMessage]:
    told: list[ChatMessage] = []
    for number in range(rounds):
        told += [user(f"{number} " + "word " * (size // 5)), ChatMessage(role=Role.ASSISTANT, text=f"answer {number}")]
    return told


def ask(bench: Bench, *messages: ChatMessage) -> ModelReply | ModelFailed:
    request = bench.request(*messages)
    bench.tell(request)
    return bench.end(request.request_id)


def texts(received: Received) -> list[str]:
    return [str(message["content"]) for message in received.body["messages"]]


def alternating(received: Received) -> Behaviour:
    roles = [message["role"] for message in received.body["messages"]]
    if any(a == b for a, b in itertools.pairwise(roles)):
        return Refusal(500, "Conversation roles must alternate user/assistant/user/assistant/...")
    return Answer("fine")


def test_neighbours_of_a_role_are_merged_and_stay_so_for_the_model(server: LoopbackModel) -> None:
    """autogen#1037 and picoclaw#207: a chat template wants roles to alternate, and llama.cpp says so with a 500."""
    server.behave = alternating
    bench = Bench(server)
    try:
        first = ask(bench, user("one"), user("two"))
        second = ask(bench, user("one"), user("two"), ChatMessage(role=Role.ASSISTANT, text="fine"), user("three"))
    finally:
        bench.system.stop()
    assert isinstance(first, ModelReply)
    assert isinstance(second, ModelReply)
    assert len(server.received()) == 3
    assert texts(server.received()[1])[1] == "one\n\ntwo"


@pytest.mark.parametrize(
    "words", ["maximum prompt length is 1000", "exceeded model token limit: 1000", "nothing that is known"]
)
def test_a_history_that_is_too_long_is_cut_and_stays_cut(server: LoopbackModel, words: str) -> None:
    def small(received: Received) -> Behaviour:
        is_long = len(json.dumps(received.body["messages"])) > 4000
        return Refusal(400, words) if is_long else Answer("fine")

    server.behave = small
    bench = Bench(server)
    told = history(12)
    try:
        first = ask(bench, *told, user("and now?"))
        after_first = len(server.received())
        second = ask(bench, *told, user("and now?"), ChatMessage(role=Role.ASSISTANT, text="fine"), user("more"))
    finally:
        bench.system.stop()
    assert isinstance(first, ModelReply)
    assert isinstance(second, ModelReply)
    assert "oldest messages" in first.left_out
    assert second.left_out == ""
    assert (after_first, len(server.received())) == (2, 3)
    assert texts(server.received()[1])[-1] == "and now?"
    assert texts(server.received()[2])[:-2] == texts(server.received()[1])  # the prefix is the same


def test_a_server_that_refuses_everything_is_asked_twice(server: LoopbackModel) -> None:
    server.behave = lambda _received: Refusal(400, "no")
    bench = Bench(server)
    try:
        failure = ask(bench, *history(4), user("and now?"))
    finally:
        bench.system.stop()
    assert isinstance(failure, ModelFailed)
    assert "oldest messages; /new begins" in failure.reason
    assert len(server.received()) == 2
