"""Rows 14-16: the model fails, asks for nonsense, or answers with nothing or too much."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from domain.log.event import Kind
from domain.policy.retrying import RetryPolicy
from domain.text.splitting import LIMIT
from lab.loopback_model.server import Answer, Behaviour, Call, CutOff, LoopbackModel, Raw, Received, Refusal, Stall
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.model import StopReason
from tests.actors.context.rig import CHANNEL, Rig, bash_call, bash_result
from tests.e2e.stage import Stage, bot_texts, events, of_kind
from tests.patience import PATIENCE_S, eventually

TRIES = 3
FAILURES: dict[str, Behaviour] = {
    "timeout": Stall(),
    "silence": Stall("half an ans"),
    "429": Refusal(429),
    "500": Refusal(500),
    "dropped": CutOff("half an ans"),
    "page": Raw(b"<html>Bad gateway</html>", status=502),
}
MALFORMED: dict[str, tuple[Call, ...]] = {
    "no JSON": (Call("bash", '{"command": "ec'),),
    "no object": (Call("bash", '["echo"]'),),
    "unknown tool": (Call("python", '{"code": "1"}'),),
    "no name": (Call(None, "{}"),),
    "900 KB": (Call("bash", json.dumps({"command": "true " + "x" * 900_000})),),
    "a lone surrogate": (Call("bash", '{"command": "echo \\ud83d"}'),),
    "a NUL": (Call("bash", '{"command": "echo \\u0000"}'),),
    "fifty": tuple(Call("bash", "{}", f"call_{number}") for number in range(50)),
    "one id twice": (Call("bash", "{}", "same"), Call("bash", "[]", "same")),
}


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel() as model:
        yield model


@pytest.fixture
def stage(
    server: PlaygroundServer, model: LoopbackModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    """An agent that asks a model again soon."""
    given: dict[str, Any] = {"model.name": "hosted_vllm/test", "model.api_base": model.api_base}
    given |= {"model.retries": TRIES - 1, "model.idle_timeout_s": 1}
    monkeypatch.setattr("actors.model.actor.RetryPolicy", partial(RetryPolicy, base_s=0.05, jitter_s=0.0))
    made = Stage(server, tmp_path / "data", **given)
    yield made
    made.stop()


def by_word(behaviours: dict[str, Behaviour]) -> Callable[[Received], Behaviour]:
    """Behave as the last thing said begins with; an echo to everything else."""

    def behave(request: Received) -> Behaviour:
        last = request.body["messages"][-1]
        if last["role"] == "tool":
            return Answer("after the results")
        said = request.last_text.rpartition("\n")[2]
        return next((how for word, how in behaviours.items() if said == word), Answer(f"echo: {said}"))

    return behave


def thread_for(server: PlaygroundServer, words: dict[str, int], word: str) -> None:
    """A thread in which the word is said."""
    words[word] = server.create_thread(GENERAL_ID, word)
    server.say(words[word], word)


@pytest.mark.req("X-56")
def test_row_14_a_model_that_fails_is_tried_three_times_and_then_told(stage: Stage, model: LoopbackModel) -> None:
    server, threads = stage.server, dict[str, int]()
    model.behave = by_word(FAILURES)
    for word in FAILURES:
        thread_for(server, threads, word)

    for word, thread in threads.items():
        notice = server.wait_for_reply(thread, after=0, timeout_s=PATIENCE_S)["content"]
        assert "I could not get an answer from the model" in notice, word
        logged = events(stage.data, "discord-thread", thread)
        assert of_kind(logged, Kind.AGENT) == []
        (told,) = (event for event in logged if event.kind is Kind.SYSTEM)
        assert (told.content, told.meta_dict()["what"]) == (notice, "failed")
        tries = [request for request in model.requests() if request.last_text.rpartition("\n")[2] == word]
        assert len(tries) == TRIES, word
        assert "echo: again" in stage.ask("again", thread)


@pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")  # aiohttp's, of the 900 KB
def test_row_15_calls_that_cannot_be_run_get_an_error_and_the_turn_goes_on(stage: Stage, model: LoopbackModel) -> None:
    server, threads = stage.server, dict[str, int]()
    model.behave = by_word({word: Answer(calls=calls) for word, calls in MALFORMED.items()})
    for word in MALFORMED:
        thread_for(server, threads, word)

    for word, thread in threads.items():
        answer = server.wait_for_reply(thread, after=0, timeout_s=PATIENCE_S)["content"]
        assert answer == "after the results", word
        logged = events(stage.data, "discord-thread", thread)
        assert len(of_kind(logged, Kind.TOOL_RESULT)) == len(of_kind(logged, Kind.TOOL_CALL)) == len(MALFORMED[word])
    for request in model.requests():
        last = request.body["messages"][-1]
        if last["role"] == "tool" and "lone" not in str(request.body["messages"]):
            assert last["content"].strip(), "the model is told why"


def test_row_15_calls_of_one_turn_are_counted_whether_in_one_answer_or_in_many(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    try:
        rig.say("do it", 1)
        rig.answer("", *(bash_call("true", f"call-{n}") for n in range(150)), stop=StopReason.TOOL_CALLS)
        ran = 0
        while commands := rig.commands():
            ran += len(commands)
            for command in commands:
                rig.tell(CHANNEL, bash_result(command, ""))
        assert 0 < ran < 150
        assert rig.requests() or rig.posts(), "the turn goes on, or ends with a notice"
    finally:
        rig.stop()


def test_row_16_an_empty_answer_is_a_notice_and_a_long_one_is_split_and_logged_once(
    stage: Stage, model: LoopbackModel
) -> None:
    server, threads = stage.server, dict[str, int]()
    long = "".join(f"{number} some words of a long answer. " for number in range(3_000))[:100_000].rstrip()
    model.behave = by_word({"nothing": Answer(""), "blanks": Answer(" \n\t "), "long": Answer(long)})
    for word in ("nothing", "blanks", "long"):
        thread_for(server, threads, word)

    for word in ("nothing", "blanks"):
        assert "empty answer" in server.wait_for_reply(threads[word], after=0, timeout_s=PATIENCE_S)["content"]
        logged = events(stage.data, "discord-thread", threads[word])
        assert of_kind(logged, Kind.AGENT) == []
    eventually(lambda: Kind.DELIVERY in [e.kind for e in events(stage.data, "discord-thread", threads["long"])])
    assert of_kind(events(stage.data, "discord-thread", threads["long"]), Kind.AGENT) == [long]
    shown = bot_texts(server, threads["long"])
    assert [text for text in shown if len(text) > LIMIT] == []
    assert long.startswith("".join("".join(shown[:1]).split("…")[0])[:1_000])
