"""Requests that a server refuses for what they hold are mended and sent once more."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import pytest

from lab.loopback_model.server import Answer, Behaviour, LoopbackModel, Raw, Received, Refusal
from messages.model import ChatMessage, ModelFailed, ModelReply, Role, ToolCall
from tests.actors.model.bench import Bench, user, window


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
    assert len(server.requests()) == 3
    assert texts(server.requests()[1])[1] == "one\n\ntwo"


def strict(received: Received) -> Behaviour:
    """A template that passes over calls and results, as Mistral's does."""
    roles = [message["role"] for message in received.body["messages"] if message["role"] != "system"]
    for before, after in itertools.pairwise(roles):
        if after == "user" and before != "assistant":
            return Refusal(400, f"Unexpected role 'user' after role '{before}'")
    return Answer("fine")


def test_a_message_behind_a_result_is_parted_from_it(server: LoopbackModel) -> None:
    """charmbracelet/crush#279: a message that came while a command ran, or after a turn that was stopped there."""
    server.behave = strict
    bench = Bench(server)
    call = ToolCall(id="c1", name="bash", arguments_json="{}")
    told = [
        user("do it"),
        ChatMessage(role=Role.ASSISTANT, text="", tool_calls=(call,)),
        ChatMessage(role=Role.TOOL, text="done", tool_call_id="c1"),
        user("and hurry"),
    ]
    try:
        first = ask(bench, *told)
        second = ask(bench, *told, ChatMessage(role=Role.ASSISTANT, text="fine"), user("more"))
    finally:
        bench.system.stop()
    assert isinstance(first, ModelReply)
    assert isinstance(second, ModelReply)
    assert first.left_out == ""
    assert len(server.requests()) == 3


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
        after_first = len(server.requests())
        second = ask(bench, *told, user("and now?"), ChatMessage(role=Role.ASSISTANT, text="fine"), user("more"))
    finally:
        bench.system.stop()
    assert isinstance(first, ModelReply)
    assert isinstance(second, ModelReply)
    assert "oldest messages" in first.left_out
    assert second.left_out == ""
    assert (after_first, len(server.requests())) == (2, 3)
    assert texts(server.requests()[1])[-1] == "and now?"
    assert texts(server.requests()[2])[:-2] == texts(server.requests()[1])  # the prefix is the same


def test_a_server_that_refuses_everything_is_asked_twice(server: LoopbackModel) -> None:
    server.behave = lambda _received: Refusal(400, "no")
    bench = Bench(server)
    try:
        failure = ask(bench, *history(4), user("and now?"))
    finally:
        bench.system.stop()
    assert isinstance(failure, ModelFailed)
    assert "oldest messages; /new begins" in failure.reason
    assert len(server.requests()) == 2


def limit_chars(words: str, most_chars: int) -> Callable[[Received], Behaviour]:
    def behave(received: Received) -> Behaviour:
        is_long = len(json.dumps(received.body["messages"])) > most_chars
        return Refusal(400, words) if is_long else Answer("fine")

    return behave


def test_a_limit_is_paid_for_once_and_told_in_each_window(server: LoopbackModel) -> None:
    server.behave = limit_chars("maximum context length is 1000 tokens", 4000)
    bench = Bench(server)
    replies = []
    try:
        for number in (1, 2):
            request = bench.request(*history(12), user("and now?"), of=window(number))
            bench.tell(request)
            replies.append(bench.reply(request.request_id))
    finally:
        bench.system.stop()
    assert all("oldest messages" in reply.left_out for reply in replies)
    assert len(server.requests()) == 3


def test_a_history_that_is_much_too_long_is_cut_further_at_the_next_message(server: LoopbackModel) -> None:
    server.behave = limit_chars("no", 2500)
    bench = Bench(server)
    try:
        ends = [ask(bench, *history(24), user(f"and {number}?")) for number in range(3)]
    finally:
        bench.system.stop()
    assert [type(end) for end in ends] == [ModelFailed, ModelReply, ModelReply]


def test_what_a_server_took_is_not_suspected(server: LoopbackModel) -> None:
    server.behave = limit_chars("no", 4000)
    bench = Bench(server)
    try:
        ask(bench, user("one"), user("two"))
        ask(bench, *history(12), user("one"), user("two"))
    finally:
        bench.system.stop()
    assert texts(server.requests()[-1])[-2:] == ["one", "two"]


STREAM, JSON = "text/event-stream", "application/json"
REPORTS = {
    # sgl-project/sglang#12081, llm-d/llm-d-inference-sim#596: a status of 200, and the refusal is the first event
    "event": (
        STREAM,
        b'data: {"error": {"object": "error", "message": "The input (5000 tokens) is longer than the model\'s context '
        b'length (4096 tokens).", "type": "BadRequestError", "code": 400}}\n\ndata: [DONE]\n\n',
    ),
    # coddy-project/coddy-agent#106: a field of its own
    "field": (
        STREAM,
        b'error: {"code": 400, "message": "the request exceeds the available context size. try increasing the context '
        b'size or enable context shift", "type": "invalid_request_error"}\n\ndata: [DONE]\n\n',
    ),
    # NousResearch/hermes-agent#68451: no object around it
    "flat": (
        STREAM,
        b'data: {"error_type": "context_length_exceeded", "error_message": "This model\'s maximum context length is '
        b'4096 tokens"}\n\n',
    ),
    # ardanlabs/kronk#862: called an error of the server
    "code without a number": (
        STREAM,
        b'data: {"error": {"code": "server_error", "message": "unable to process request: the context window is full. '
        b'Please reduce the input size or increase the context window", "type": "server_error"}}\n\n',
    ),
    "flat words": (STREAM, b'data: {"error_message": "prompt is too long"}\n\n'),
    "detail": (JSON, b'{"detail": "prompt is too long"}'),
    "named event": (STREAM, b'event: error\ndata: {"message": "prompt is too long", "code": 400}\n\n'),
    "unknown words": (STREAM, b'data: {"error": {"message": "no", "type": "invalid_request_error"}}\n\n'),
    "body": (JSON, b'{"error": {"message": "prompt is too long: 9000 tokens > 4000 maximum"}}'),
    "body of vllm": (JSON, b'{"object": "error", "message": "prompt is too long", "code": 400}'),
    # charmbracelet/crush#279: OpenRouter has the provider's words in a text of their own
    "words within words": (
        JSON,
        b'{"error": {"message": "Provider returned error", "metadata": {"raw": '
        b'"{\\"message\\": \\"Prompt contains 9000 tokens, too large for model with 4096 maximum context length\\"}"}}}',
    ),
}


WAYS = [
    *((report, name) for report in REPORTS for name in ("hosted_vllm/test", "openai/test")),
    *((report, "by address") for report, (kind, _) in REPORTS.items() if kind == JSON),
]


@pytest.mark.parametrize(("report", "name"), WAYS)
def test_a_refusal_within_an_answer_is_mended_too(server: LoopbackModel, report: str, name: str) -> None:
    kind, body = REPORTS[report]

    def small(received: Received) -> Behaviour:
        return Raw(body, kind) if len(json.dumps(received.body["messages"])) > 4000 else Answer("fine")

    server.behave = small
    bench = Bench(server) if name == "by address" else Bench(server, name=name)
    try:
        base = server.api_base if name == "by address" else ""
        request = bench.request(*history(12), user("and now?"), api_base=base)
        bench.tell(request)
        reply = bench.end(request.request_id)
    finally:
        bench.system.stop()
    assert isinstance(reply, ModelReply), reply
    assert "oldest message" in reply.left_out
    assert len(server.requests()) == 2
    assert bench.waits == []


ANTHROPIC = (
    b'event: message_start\ndata: {"type": "message_start", "message": {"id": "m", "type": "message", "role": '
    b'"assistant", "content": [], "model": "c", "stop_reason": null, "usage": {"input_tokens": 9, "output_tokens": 1}}}'
    b'\n\nevent: content_block_start\ndata: {"type": "content_block_start", "index": 0, "content_block": {"type": '
    b'"text", "text": ""}}\n\nevent: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta": '
    b'{"type": "text_delta", "text": "fine"}}\n\nevent: content_block_stop\ndata: {"type": "content_block_stop", '
    b'"index": 0}\n\nevent: message_delta\ndata: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, '
    b'"usage": {"output_tokens": 1}}\n\nevent: message_stop\ndata: {"type": "message_stop"}\n\n'
)


@pytest.mark.parametrize(
    "refusal",
    [
        Raw(
            b'{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9000 tokens '
            b'> 4000 maximum"}}',
            JSON,
            400,
        ),
        Raw(
            b'event: error\ndata: {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is '
            b'too long: 9000 tokens > 4000 maximum"}}\n\n',
            STREAM,
        ),
        Raw(b'{"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}', JSON, 400),
        Raw(b'{"type": "error", "error": {"type": "request_too_large", "message": "no"}}', JSON, 413),
    ],
    ids=["status", "event", "unknown words", "too large"],
)
def test_a_refusal_by_way_of_litellm_is_mended_too(server: LoopbackModel, refusal: Raw) -> None:
    def small(received: Received) -> Behaviour:
        return refusal if len(json.dumps(received.body["messages"])) > 4000 else Raw(ANTHROPIC, STREAM)

    server.behave = small
    keys = {"ANTHROPIC_API_KEY": "no key"}
    bench = Bench(server, name="anthropic/claude-sonnet-4-5", api_keys=keys)
    try:
        reply = ask(bench, *history(12), user("and now?"))
    finally:
        bench.system.stop()
    assert isinstance(reply, ModelReply), reply
    assert (reply.text, len(server.requests())) == ("fine", 2)
    assert "oldest message" in reply.left_out
    assert bench.waits == []
