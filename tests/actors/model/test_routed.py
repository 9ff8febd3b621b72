"""Calls without litellm, and when it is called after all."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from actors.http_client.connections import MOST_ANSWER_BYTES
from lab.loopback_model.server import LoopbackModel, Raw, Refusal
from tests.actors.model.bench import Bench, window

EVENTS = "text/event-stream"


def test_an_answer_that_comes_as_a_whole_is_read(bench: Bench) -> None:
    body = b'{"choices": [{"message": {"content": "all at once"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}'
    bench.server.script(Raw(body, "application/json"))

    reply = bench.reply(bench.ask())

    assert (reply.text, reply.usage.prompt_tokens) == ("all at once", 3)


def test_an_answer_without_end_is_given_up(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(retries=0)
    bench.server.script(Raw(b"data: " + b"x" * (MOST_ANSWER_BYTES + 10), EVENTS))

    assert "no model's answer" in bench.failure(bench.ask()).reason


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirection_is_litellms_and_the_key_does_not_follow_to_another_host(
    make_bench: Callable[..., Bench], status: int
) -> None:
    with LoopbackModel() as other:
        bench = make_bench(name="openai/test", api_keys={"OPENAI_API_KEY": "sk-secret"}, retries=0)
        elsewhere = other.api_base.replace("127.0.0.1", "localhost") + "/chat/completions"
        bench.server.script(*[Refusal(status, headers=(("Location", elsewhere),))] * 2)

        bench.end(bench.ask())

        assert bench.server.request_count == 2
        assert all("sk-secret" not in str(request.headers) for request in other.received())


def test_a_connection_serves_one_call_after_the_other(bench: Bench) -> None:
    for number in range(5):
        assert bench.reply(bench.ask(str(number))).text == f"echo: {number}"

    assert len(bench.server.connections) == 1


def test_a_key_with_a_line_end_is_a_failure_that_does_not_say_it(
    make_bench: Callable[..., Bench], caplog: pytest.LogCaptureFixture
) -> None:
    bench = make_bench(name="openai/test", api_keys={"OPENAI_API_KEY": "sk-secret\nX-Evil: 1"}, retries=0)

    with caplog.at_level(logging.DEBUG):
        reason = bench.failure(bench.ask()).reason
        bench.system.stop()  # all is logged

    assert "sk-secret" not in reason + caplog.text
    assert bench.server.request_count == 0


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 399])
def test_a_page_in_between_costs_a_try_and_nothing_for_ever(bench: Bench, status: int) -> None:
    bench.server.script(Refusal(status, headers=(("Location", "http://127.0.0.1:1/login"),)))

    assert bench.reply(bench.ask("a")).text == "echo: a"
    assert len(bench.waits) == 1
    assert bench.server.request_count == 2


def test_a_connection_that_was_closed_meanwhile_costs_no_try(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(retries=0)
    ids = [bench.ask(str(number), of=window(number)) for number in range(5)]
    for request_id in ids:
        bench.reply(request_id)
    bench.server.hang_up_at_the_next()

    for number in range(5):
        assert bench.reply(bench.ask(str(number))).text == f"echo: {number}"


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": 7}]}\n\n',
        b'data: [DONE]\n\ndata: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n',
        b'{"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n',
    ],
)
@pytest.mark.parametrize("content_type", [EVENTS, "text/plain"])
def test_an_answer_in_another_form_is_one(bench: Bench, body: bytes, content_type: str) -> None:
    bench.server.script(Raw(body, content_type))

    assert bench.reply(bench.ask()).text == "a"
    assert bench.waits == []


def test_events_that_are_called_json_are_read(bench: Bench) -> None:
    body = b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n'
    bench.server.script(Raw(body, "application/json"))

    assert bench.reply(bench.ask()).text == "a"


WHOLE: dict[str, Any] = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}


@pytest.mark.parametrize("content_type", [EVENTS, "text/plain", "application/json", "application/x+json", "odd"])
@pytest.mark.parametrize(
    "body",
    [
        json.dumps(WHOLE).encode(),
        json.dumps(WHOLE, indent=1).encode(),
        b"\r\n " + json.dumps(WHOLE).encode() + b"\n",
        b"data: " + json.dumps(WHOLE).encode() + b"\n\ndata: [DONE]\n\n",
    ],
    ids=["a line", "lines", "between blanks", "an event"],
)
def test_a_whole_answer_is_read_whatever_it_is_called(bench: Bench, body: bytes, content_type: str) -> None:
    bench.server.script(Raw(body, content_type))

    reply = bench.reply(bench.ask())

    assert (reply.text, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("a", 3, 2)
    assert bench.waits == []


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n',
        json.dumps(WHOLE, indent=1).encode(),
    ],
    ids=["events", "lines"],
)
def test_a_mark_of_the_byte_order_costs_no_word(bench: Bench, body: bytes) -> None:
    bench.server.script(Raw(b"\xef\xbb\xbf" + body, EVENTS))

    assert bench.reply(bench.ask()).text == "a"


@pytest.mark.parametrize("content_type", [EVENTS, "application/json"])
@pytest.mark.parametrize("frame", ["%s", "data: %s\n\n"], ids=["bare", "an event"])
@pytest.mark.parametrize(
    ("code", "words", "tries"), [(402, "quota or credit", 1), ("401", "missing or was refused", 1), (503, "", 4)]
)
def test_an_error_whose_status_is_well_is_told_as_the_error_that_it_is(
    bench: Bench, content_type: str, frame: str, code: object, words: str, tries: int
) -> None:
    body = (frame % json.dumps({"error": {"code": code, "message": "no"}})).encode()
    bench.server.script(*[Raw(body, content_type)] * 4)

    failure = bench.failure(bench.ask())

    assert (words in failure.reason, failure.attempts) == (True, tries)


@pytest.mark.parametrize("more", [b'data: {"error": {"code": 500}}\n\n', b"x" * (MOST_ANSWER_BYTES + 10)])
def test_what_a_server_says_after_the_end_costs_no_answer(bench: Bench, more: bytes) -> None:
    said = b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    bench.server.script(Raw(said + more, EVENTS))

    assert bench.reply(bench.ask()).text == "a"
    assert bench.waits == []
