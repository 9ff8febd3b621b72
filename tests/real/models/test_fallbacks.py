"""Public reports about models that stood in for others, or did not, tried on the model actor and the whole agent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lab.loopback_model.server import Answer, Behaviour, Call, CutOff, LoopbackModel, Received, Refusal
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.model import SPENT, CallSpent, ChatMessage, ImageFile, ModelFailed, ModelReply, Role, ToolCall
from tests.actors.model.bench import Bench, user
from tests.actors.model.conftest import litellm as litellm
from tests.e2e.stage import Stage, bot_texts
from tests.patience import PATIENCE_S, eventually
from tests.running_playground import server as server

pytestmark = [pytest.mark.filterwarnings("ignore:.* `ReadOnly` qualifier:UserWarning", "ignore::ResourceWarning")]
A, B, C = "hosted_vllm/a", "hosted_vllm/b", "hosted_vllm/c"


class Servers:
    """One server for several models, each of which answers or fails as it is set."""

    def __init__(self, **faults: Behaviour) -> None:
        self.faults = faults
        self.asked: list[str] = []

    def behave(self, received: Received) -> Behaviour:
        model = str(received.body["model"])
        self.asked.append(model)
        return self.faults.get(model) or Answer(f"from {model}")


@pytest.fixture
def servers() -> Iterator[tuple[Servers, LoopbackModel]]:
    behaving = Servers()
    with LoopbackModel(behaving.behave) as model:
        yield behaving, model


def ask(bench: Bench, *messages: ChatMessage, run_id: str = "", turn: int = 0) -> ModelReply | ModelFailed:
    request = msgspec.structs.replace(bench.request(*messages), run_id=run_id, turn_messages=turn)
    bench.tell(request)
    return bench.end(request.request_id)


@pytest.mark.req("X-217")
def test_what_makes_another_model_answer_and_what_does_not(
    litellm: None, servers: tuple[Servers, LoopbackModel]
) -> None:
    behaving, model = servers
    cases: dict[str, tuple[Behaviour, bool]] = {
        "openclaw/openclaw#56852: a rate limit that lasts": (Refusal(429, "rate_limit_error"), True),
        "code-yeongyu/oh-my-openagent#3519: credit used up": (Refusal(400, "Your credit balance is too low"), True),
        "NousResearch/hermes-agent#41590: quota, told with a 429": (Refusal(429, "insufficient_quota"), True),
        "NousResearch/hermes-agent#73772: model unavailable": (
            Refusal(503, "The requested model is unavailable"),
            True,
        ),
        "openclaw/openclaw#39818: a name that no provider knows": (Refusal(404, "model not found"), True),
        "openclaw/openclaw#39818: a key that is refused": (Refusal(401, "invalid x-api-key"), True),
        "an answer that breaks off": (CutOff("half of"), True),
        "fazer-ai/agents#143: a refusal of the content": (Refusal(400, "flagged by the content filter"), False),
        "fazer-ai/agents#143: a request that is refused anywhere": (Refusal(422, "no"), False),
    }
    failures = []
    for name, (fault, is_answered) in cases.items():
        behaving.faults, behaving.asked = {"a": fault}, []
        bench = Bench(model, name=A, fallbacks=(B,), retries=0)
        try:
            end = ask(bench)
        finally:
            bench.system.stop()
        if (
            isinstance(end, ModelReply) != is_answered
            or ("b" in behaving.asked) != is_answered
            or (isinstance(end, ModelReply) and not (A in end.stands_in and end.model == B and end.text == "from b"))
        ):
            failures.append((name, end))
    assert not failures


def test_the_first_model_is_passed_over_while_its_outage_is_known_and_keeps_no_turn(
    litellm: None, servers: tuple[Servers, LoopbackModel]
) -> None:
    """openclaw/openclaw#13807: a model in its pause must not end the list."""
    behaving, model = servers
    behaving.faults = {"a": Refusal(500, "down")}
    bench = Bench(model, name=A, fallbacks=(B, C), retries=1)
    bench.edge.follow(SPENT)
    try:
        first = ask(bench, run_id="one")
        spent = [bench.edge.receive(PATIENCE_S, lambda m: isinstance(m, CallSpent)) for _ in range(3)]
        behaving.faults["b"] = Refusal(401, "no key")
        second = ask(bench, run_id="one")
        behaving.faults["c"] = Refusal(402, "no credit")
        third = ask(bench, run_id="two")
    finally:
        bench.system.stop()
    assert [(took.model, took.attempt) for took in spent if isinstance(took, CallSpent)] == [(A, 1), (A, 2), (B, 3)]
    assert isinstance(first, ModelReply)
    assert isinstance(second, ModelReply)
    assert isinstance(third, ModelFailed)
    assert (first.model, second.model) == (B, C)
    assert behaving.asked == ["a", "a", "b", "b", "c", "c"]
    assert [name in third.reason for name in (A, B, C)] == [True] * 3
    assert "(500)" not in third.reason.split(B)[1]
    for part in ("500 (server error) 2 times", "key", "no quota or credit"):
        assert part in third.reason


def test_a_model_without_an_ability_is_passed_over_where_the_turn_needs_it(
    litellm: None, servers: tuple[Servers, LoopbackModel]
) -> None:
    behaving, model = servers
    behaving.faults = {"a": Refusal(500, "down")}
    picture = ChatMessage(
        role=Role.USER, text="look", images=(ImageFile(path="attachments/1/a.png", media_type="image/png"),)
    )
    bench = Bench(model, name=A, fallbacks=(B,), retries=0)
    try:
        now = ask(bench, picture, turn=1)
        later = ask(bench, picture, ChatMessage(role=Role.ASSISTANT, text="a cat"), user("thanks"), turn=1)
    finally:
        bench.system.stop()
    assert isinstance(now, ModelFailed)
    assert f"`{B}`: it cannot see pictures" in now.reason
    assert isinstance(later, ModelReply)


def test_calls_of_one_model_have_ids_that_the_next_one_takes(
    litellm: None, servers: tuple[Servers, LoopbackModel]
) -> None:
    """vybestack/llxprt-code#761: Mistral's models take nine letters and digits and nothing else."""
    behaving, model = servers
    behaving.faults = {"a": Refusal(500, "down")}
    calls = tuple(
        ToolCall(id=call_id, name="bash", arguments_json="{}") for call_id in ("functions.bash:0", "abcDEF123")
    )
    results = [ChatMessage(role=Role.TOOL, text="done", tool_call_id=call.id) for call in calls]
    bench = Bench(model, name=A, fallbacks=("hosted_vllm/mistral-small",), retries=0)
    try:
        ask(bench, user("go"), ChatMessage(role=Role.ASSISTANT, text="", tool_calls=calls), *results)
    finally:
        bench.system.stop()
    first, second = (received.body["messages"] for received in model.requests())
    assert [call["id"] for call in first[2]["tool_calls"]] == ["functions.bash:0", "abcDEF123"]
    ids = [call["id"] for call in second[2]["tool_calls"]]
    assert ids == [message["tool_call_id"] for message in second[3:]]
    assert all(len(call_id) == 9 and call_id.isalnum() for call_id in ids)
    assert ids[1] == "abcDEF123"


def run_then_say(received: Received) -> Behaviour:
    """The first model fails; the second runs a command and then says what it printed."""
    if received.body["model"] == "a":
        return Refusal(503, "overloaded")
    if received.body["messages"][-1]["role"] == "tool":
        return Answer("it is done")
    return Answer(calls=(Call("bash", json.dumps({"command": "echo hello"})),))


def test_people_are_told_which_model_answers_and_the_turn_goes_on_with_it(
    litellm: None, server: PlaygroundServer, tmp_path: Path
) -> None:
    """openclaw/openclaw#39818, MervinPraison/PraisonAI#3820: people were not told of the other model."""
    with LoopbackModel(run_then_say) as model:
        settings: dict[str, Any] = {"name": A, "api_base": model.api_base, "retries": 0, "fallbacks": [B, "offline"]}
        stage = Stage(server, tmp_path / "data", model=settings)
        try:
            server.say(GENERAL_ID, "go")
            eventually(lambda: "it is done" in bot_texts(server)[-1:])
            told = [text for text in bot_texts(server) if "in place of" in text]
            assert len(told) == 1
            assert told[0].startswith(f"-# `{B}` answers in place of `{A}`: the model's server answered 503")
            assert [received.body["model"] for received in model.requests()] == ["a", "b", "b"]
        finally:
            stage.stop()
    ledger = [json.loads(line) for path in tmp_path.glob("data/usage/*.jsonl") for line in path.open()]
    assert [(line["model"], line["outcome"]) for line in ledger] == [(A, "failed"), (B, "answered"), (B, "answered")]


def test_the_built_in_model_may_be_the_last_of_the_list(
    litellm: None, server: PlaygroundServer, tmp_path: Path
) -> None:
    with LoopbackModel(lambda _received: Refusal(401, "no")) as model:
        settings: dict[str, Any] = {"name": A, "api_base": model.api_base, "retries": 0, "fallbacks": [B, "offline"]}
        stage = Stage(server, tmp_path / "data", model=settings)
        try:
            server.say(GENERAL_ID, "run: echo word")
            eventually(lambda: any("\nword" in text for text in bot_texts(server)))
            assert sum("`offline` answers in place of" in text for text in bot_texts(server)) == 1
            assert model.request_count == 2
        finally:
            stage.stop()
