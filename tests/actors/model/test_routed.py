"""Calls without litellm, and when it is called after all."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from domain.text.answer.events import MOST_LINE_BYTES
from lab.loopback_model.server import Raw, Refusal
from tests.actors.model.bench import Bench, window

EVENTS = "text/event-stream"


def test_an_answer_that_comes_as_a_whole_is_read(bench: Bench) -> None:
    body = b'{"choices": [{"message": {"content": "all at once"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}'
    bench.server.script(Raw(body, "application/json"))

    reply = bench.reply(bench.ask())

    assert (reply.text, reply.usage.prompt_tokens) == ("all at once", 3)


def test_an_answer_without_end_is_given_up(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(retries=0)
    bench.server.script(Raw(b"data: " + b"x" * (MOST_LINE_BYTES + 10), EVENTS))

    assert "a line of an answer is longer than 8388608 bytes" in bench.failure(bench.ask()).reason


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


def test_a_page_in_between_costs_a_try_and_nothing_for_ever(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[int] = [300, 301, 302, 303, 304, 399]
    for status in cases:
        with subtests.test(status=status):
            before = bench.server.request_count
            bench.waits.clear()
            bench.server.script(Refusal(status, headers=(("Location", "http://127.0.0.1:1/login"),)))

            assert bench.reply(bench.ask("a")).text == "echo: a"
            assert len(bench.waits) == 1
            assert bench.server.request_count == before + 2


def test_a_connection_that_was_closed_meanwhile_costs_no_try(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(retries=0)
    ids = [bench.ask(str(number), of=window(number)) for number in range(5)]
    for request_id in ids:
        bench.reply(request_id)
    bench.server.hang_up_at_the_next()

    for number in range(5):
        assert bench.reply(bench.ask(str(number))).text == f"echo: {number}"


def test_an_answer_in_another_form_is_one(bench: Bench, subtests: pytest.Subtests) -> None:
    cases_1: list[str] = [EVENTS, "text/plain"]
    cases_2: list[bytes] = [
        b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": 7}]}\n\n',
        b'data: [DONE]\n\ndata: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n',
        b'{"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n',
    ]
    for content_type in cases_1:
        for body in cases_2:
            with subtests.test(content_type=content_type, body=body):
                bench.server.script(Raw(body, content_type))

                assert bench.reply(bench.ask()).text == "a"
                assert bench.waits == []


@pytest.mark.req("X-216")
def test_a_stream_that_tells_no_reason_is_whole_once_it_is_counted_and_announced(
    make_bench: Callable[..., Bench],
) -> None:
    text = b'data: {"choices": [{"delta": {"content": "a", "function_call": {"name": "", "arguments": ""}}}]}\n\n'
    used = b'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}\n\n'
    end = b"data: [DONE]\n\n"
    bench, failures = make_bench(retries=0), []
    for body, is_whole in ((text + used + end, True), (text + used, False), (text + end, False), (used + end, False)):
        bench.server.script(Raw(body, EVENTS))
        said = bench.end(bench.ask())
        if (getattr(said, "text", ""), getattr(said, "tool_calls", ())) != ("a" if is_whole else "", ()):
            failures.append(f"{body!r}: {said!r}")
    assert not failures


def test_events_that_are_called_json_are_read(bench: Bench) -> None:
    body = b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n'
    bench.server.script(Raw(body, "application/json"))

    assert bench.reply(bench.ask()).text == "a"


WHOLE: dict[str, Any] = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}


def test_a_whole_answer_is_read_whatever_it_is_called(bench: Bench, subtests: pytest.Subtests) -> None:
    cases_1: list[bytes] = [
        json.dumps(WHOLE).encode(),
        json.dumps(WHOLE, indent=1).encode(),
        b"\r\n " + json.dumps(WHOLE).encode() + b"\n",
        b"data: " + json.dumps(WHOLE).encode() + b"\n\ndata: [DONE]\n\n",
    ]
    cases_2: list[str] = [EVENTS, "text/plain", "application/json", "application/x+json", "odd"]
    for body in cases_1:
        for content_type in cases_2:
            with subtests.test(body=body, content_type=content_type):
                bench.server.script(Raw(body, content_type))

                reply = bench.reply(bench.ask())

                assert (reply.text, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("a", 3, 2)
                assert bench.waits == []


def test_a_mark_of_the_byte_order_costs_no_word(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n',
        json.dumps(WHOLE, indent=1).encode(),
    ]
    for body in cases:
        with subtests.test(body=body):
            bench.server.script(Raw(b"\xef\xbb\xbf" + body, EVENTS))

            assert bench.reply(bench.ask()).text == "a"


def test_an_error_whose_status_is_well_is_told_as_the_error_that_it_is(bench: Bench, subtests: pytest.Subtests) -> None:
    cases_1: list[tuple[object, str, int]] = [
        (402, "quota or credit", 1),
        ("401", "missing or was refused", 1),
        (503, "", 4),
    ]
    cases_2: list[str] = ["%s", "data: %s\n\n"]
    cases_3: list[str] = [EVENTS, "application/json"]
    for code, words, tries in cases_1:
        for frame in cases_2:
            for content_type in cases_3:
                with subtests.test(code=code, words=words, tries=tries, frame=frame, content_type=content_type):
                    body = (frame % json.dumps({"error": {"code": code, "message": "no"}})).encode()
                    bench.server.script(*[Raw(body, content_type)] * tries)

                    failure = bench.failure(bench.ask())

                    assert (words in failure.reason, failure.attempts) == (True, tries)


def test_what_a_server_says_after_the_end_costs_no_answer(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b'data: {"error": {"code": 500}}\n\n', b"x" * (MOST_LINE_BYTES + 10)]
    for more in cases:
        with subtests.test(more=more):
            said = b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
            bench.server.script(Raw(said + more, EVENTS))

            assert bench.reply(bench.ask()).text == "a"
            assert bench.waits == []
