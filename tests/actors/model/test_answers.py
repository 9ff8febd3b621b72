"""Answers as they come back, through real litellm from a loopback server."""

from __future__ import annotations

import itertools
import json
import logging
import os
from collections.abc import Callable

import pytest

from actors.http_client.litellm_library import ENVIRONMENT
from actors.model.backend import AttemptProgress, OfflineBackend
from actors.model.calls import CHARS_PER_S, FREE_CHARS
from lab.loopback_model.server import Answer, Call, LoopbackModel, Stall
from messages.model import (
    ChatMessage,
    Completion,
    ModelDelta,
    ModelRequest,
    Role,
    StopReason,
    ToolCall,
    ToolSpec,
    Usage,
)
from tests.actors.model.bench import Bench, user

MODELS = pytest.mark.parametrize("name", ["hosted_vllm/test", "openai/test"])
FORM = '{"command": "ls"}'


@MODELS
def test_text_comes_back_whole_with_what_the_server_counted(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench(name=name)
    bench.server.script(Answer("Grüße 👋, twice", pieces=7, usage=(11, 5)))

    reply = bench.reply(bench.ask())

    assert (reply.text, reply.tool_calls, reply.stop_reason) == ("Grüße 👋, twice", (), StopReason.STOP)
    assert reply.usage == Usage(prompt_tokens=11, completion_tokens=5, cost_usd=0.0)
    assert reply.model == name


@pytest.mark.req("S0-102")
@MODELS
def test_the_request_holds_prompt_history_and_tools(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench(name=name)
    call = ToolCall(id="c1", name="bash", arguments_json=FORM)
    request = bench.request(
        user("list"),
        ChatMessage(role=Role.ASSISTANT, text="", tool_calls=(call,)),
        ChatMessage(role=Role.TOOL, text="a.txt", tool_call_id="c1"),
    )

    bench.tell(request)
    bench.reply(request.request_id)
    body = bench.server.requests()[0].body

    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][2]["tool_calls"][0]["function"] == {"name": "bash", "arguments": FORM}
    assert body["messages"][3]["tool_call_id"] == "c1"
    assert body["tools"][0]["function"]["name"] == "bash"
    assert body["tools"][0]["function"]["parameters"]["required"] == ["command"]
    assert (body["model"], body["stream"]) == ("test", True)


@MODELS
def test_tool_calls_come_back_in_order(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench(name=name)
    bench.server.script(Answer("I look.", (Call("bash", FORM, "a"), Call("bash", '{"command": "pwd"}', "b"))))

    reply = bench.reply(bench.ask())

    assert reply.text == "I look."
    assert reply.stop_reason is StopReason.TOOL_CALLS
    assert [(c.id, c.name, json.loads(c.arguments_json)["command"]) for c in reply.tool_calls] == [
        ("a", "bash", "ls"),
        ("b", "bash", "pwd"),
    ]


@MODELS
def test_malformed_tool_calls_come_back_as_they_are(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench(name=name)
    large = json.dumps({"command": "x" * 900_000})
    sent = (Call("bash", "{not json"), Call("fly", "[1]", None), Call(None, "{}", None), Call("bash", large, "call_1"))
    bench.server.script(Answer(calls=sent))

    calls = bench.reply(bench.ask()).tool_calls

    assert [c.name for c in calls] == ["bash", "fly", "", "bash"]
    assert [c.arguments_json for c in calls] == ["{not json", "[1]", "{}", large]
    assert len({c.id for c in calls}) == 4
    assert all(c.id for c in calls)


def test_fifty_calls_come_back(bench: Bench) -> None:
    bench.server.script(Answer(calls=tuple(Call("bash", FORM, f"c{i}") for i in range(50))))

    assert [c.id for c in bench.reply(bench.ask()).tool_calls] == [f"c{i}" for i in range(50)]


@MODELS
@pytest.mark.parametrize(("text", "asked"), [("", 2), ("  \n ", 2), ("y" * 100_000, 1)])
def test_an_answer_of_any_size_is_a_reply(make_bench: Callable[..., Bench], name: str, text: str, asked: int) -> None:
    bench = make_bench(name=name)
    bench.server.script(*[Answer(text, pieces=3, usage=(11, 5))] * 3)

    reply = bench.reply(bench.ask())

    assert (reply.text, reply.stop_reason, bench.server.request_count) == (text, StopReason.STOP, asked)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (11 * asked, 5 * asked)


def test_an_answer_that_ran_into_the_limit_says_so(bench: Bench) -> None:
    bench.server.script(Answer("cut", (Call("bash", '{"comm'),), finish="length"))

    assert bench.reply(bench.ask()).stop_reason is StopReason.LENGTH


@MODELS
def test_half_surrogates_do_not_kill_a_request(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench(name=name)
    call = ToolCall(id="c\udc80", name="ba sh\ud800", arguments_json='{"command": "\ud800')
    request = bench.request(
        user("a\ud800b"),
        ChatMessage(role=Role.ASSISTANT, text="\udfff", tool_calls=(call,)),
        ChatMessage(role=Role.TOOL, text="\udc80", tool_call_id="c\udc80"),
        system_prompt="p\ud800",
    )

    bench.tell(request)
    bench.reply(request.request_id)
    messages = bench.server.requests()[0].body["messages"]

    assert [m["content"] for m in messages] == ["p\ufffd", "a\ufffdb", "\ufffd", "\ufffd"]
    assert messages[3]["tool_call_id"] == messages[2]["tool_calls"][0]["id"] == "c\ufffd"


def test_a_priced_model_has_a_cost(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(name="openai/gpt-4o")
    bench.server.script(Answer("x", usage=(1_000_000, 100_000)))

    assert 1.0 < bench.reply(bench.ask()).usage.cost_usd < 10.0


def test_a_key_that_is_handed_over_is_the_one_that_is_used(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(name="openai/test", api_keys={"OPENAI_API_KEY": "sk-handed-over"})

    bench.reply(bench.ask())

    assert bench.server.requests()[0].headers["authorization"] == "Bearer sk-handed-over"


@pytest.mark.req("S0-19", "S0-21", "S0-94", "S0-103")
def test_a_server_of_ones_own_needs_no_key(make_bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    bench = make_bench(name="openai/test")

    assert bench.reply(bench.ask("hi")).text == "echo: hi"


@pytest.mark.req("S0-20")
def test_a_request_may_name_another_model(bench: Bench) -> None:
    request = bench.request(model="hosted_vllm/other")

    bench.tell(request)

    assert bench.reply(request.request_id).model == "hosted_vllm/other"
    assert bench.server.requests()[0].body["model"] == "other"


def test_text_is_told_while_it_comes_and_each_time_from_the_beginning(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(delta_interval_s=0.0)
    bench.server.script(Answer("one two three four five", pieces=5, piece_delay_s=0.03))

    request_id = bench.ask()
    reply = bench.reply(request_id)
    told = [m.text for m in bench.edge.drain() if isinstance(m, ModelDelta)]

    assert len(told) >= 2
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(told))
    assert reply.text.startswith(told[-1])


def test_an_answer_that_is_quick_has_no_delta(bench: Bench) -> None:
    bench.server.script(Answer("quick answer", pieces=50))

    bench.reply(bench.ask())

    assert bench.edge.drain() == []


def test_text_that_stalls_is_told_nevertheless(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(delta_interval_s=0.01)
    bench.server.script(Stall("I think"))

    assert bench.delta(bench.ask()) == "I think"


def test_the_offline_model_goes_the_same_way(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(name="offline", api_base="")

    reply = bench.reply(bench.ask("run: date"))
    hello = bench.reply(bench.ask("hello"))

    assert [json.loads(c.arguments_json) for c in reply.tool_calls] == [{"command": "date"}]
    assert (reply.stop_reason, reply.model) == (StopReason.TOOL_CALLS, "offline")
    assert "offline model" in hello.text
    assert bench.server.request_count == 0


@pytest.mark.req("X-129")
def test_litellm_neither_downloads_nor_reads_env_files_nor_logs(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        bench.reply(bench.ask("a secret thing"))
        bench.system.stop()  # all is logged

    assert {name: os.environ.get(name) for name in ENVIRONMENT} == ENVIRONMENT
    assert [r for r in caplog.records if not r.name.startswith(("actors.", "asyncio"))] == []
    assert "a secret thing" not in caplog.text


def test_a_tool_without_valid_parameters_is_a_failure_and_not_a_crash(bench: Bench) -> None:
    request = bench.request(tools=(ToolSpec(name="x", description="", parameters_json="{"),))

    bench.tell(request)

    assert bench.failure(request.request_id).attempts <= 4
    assert bench.reply(bench.ask()).text == "echo: hello"


def test_the_loopback_server_can_be_stopped_while_it_answers(server: LoopbackModel, bench: Bench) -> None:
    server.script(Stall("half"))
    bench.ask()
    server.wait_for_requests(1)

    server.stop()

    assert server.open_count == 0


class Ready(OfflineBackend):
    """Backend that has an answer at once."""

    def __init__(self, completion: Completion) -> None:
        self._completion = completion

    async def complete(self, model: str, request: ModelRequest, say: AttemptProgress) -> Completion:
        return self._completion


@pytest.mark.req("X-238")
@pytest.mark.parametrize(
    "completion",
    [
        Completion(text="x" * (FREE_CHARS + 200 * CHARS_PER_S)),
        Completion(text="", thoughts="x" * (FREE_CHARS + 200 * CHARS_PER_S), stop_reason=StopReason.LENGTH),
        Completion(
            text="", tool_calls=(ToolCall(id="c", name="bash", arguments_json="x" * (FREE_CHARS + 200 * CHARS_PER_S)),)
        ),
    ],
    ids=["text", "thoughts", "arguments"],
)
def test_an_answer_that_no_model_can_have_written_yet_is_passed_on_later(
    make_bench: Callable[..., Bench], completion: Completion
) -> None:
    bench = make_bench(backend_of=lambda _config: Ready(completion))

    bench.reply(bench.ask())

    assert len(bench.waits) == 1
    assert 50 < bench.waits[0] <= 200  # less by what it took until here


@pytest.mark.req("X-238")
def test_a_long_answer_is_passed_on_at_once(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(backend_of=lambda _config: Ready(Completion(text="x" * FREE_CHARS)))

    bench.reply(bench.ask())

    assert bench.waits == []
