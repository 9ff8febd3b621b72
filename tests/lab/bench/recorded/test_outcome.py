from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from domain.policy.retrying import Fault, FaultKind
from lab.bench.recorded.outcome import Outcome, fault_differences, kind_of_status, outcome_differences
from messages.model import Completion, StopReason, ToolCall, Usage

CALL = ToolCall(id="c1", name="weather", arguments_json='{"city":"Rome"}')
WANTED = Outcome(
    texts=["I ", "ask."],
    calls=[("c1", "weather", '{"city": "Rome"}')],
    thoughts=["Hm."],
    prompt=9,
    completion=4,
    cached=2,
)
COMPLETION = Completion(
    text="I ask.",
    tool_calls=(CALL,),
    stop_reason=StopReason.TOOL_CALLS,
    thoughts="Hm.",
    usage=Usage(prompt_tokens=9, completion_tokens=4, cached_tokens=2),
)


def completion_with(**fields: object) -> Completion:
    return msgspec.structs.replace(COMPLETION, **fields)


@pytest.mark.req("X-216")
def test_each_part_of_an_answer_that_is_not_as_recorded_is_a_difference() -> None:
    assert list(outcome_differences(WANTED, COMPLETION)) == []
    usage = COMPLETION.usage
    cases = [
        completion_with(text="I ask"),
        completion_with(tool_calls=()),
        completion_with(tool_calls=(CALL, CALL)),
        completion_with(tool_calls=(ToolCall(id="c2", name="weather", arguments_json='{"city":"Rome"}'),)),
        completion_with(tool_calls=(ToolCall(id="c1", name="weather", arguments_json='{"city":"Oslo"}'),)),
        completion_with(stop_reason=StopReason.STOP),
        completion_with(refusal="No."),
        completion_with(thoughts=""),
        completion_with(usage=Usage(prompt_tokens=8, completion_tokens=4, cached_tokens=2)),
        completion_with(usage=Usage(prompt_tokens=9, completion_tokens=5, cached_tokens=2)),
        completion_with(usage=Usage(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)),
    ]
    failures = [case for case in cases if len(list(outcome_differences(WANTED, case))) != 1]
    assert not failures


@pytest.mark.req("X-216")
def test_thoughts_in_tags_and_calls_that_the_provider_cannot_read_are_no_part_of_an_answer() -> None:
    for text, text_left in (
        ("<think>a</think>b", "b"),
        (" <think> a", ""),
        ("a</think>b", "b"),
        ("a <b> c", "a <b> c"),
    ):
        assert Outcome(texts=[text]).text == text_left
    for ended in ("malformed", "filter", "refusal"):
        wanted = replace(WANTED, ended=ended)
        assert list(outcome_differences(wanted, completion_with(tool_calls=(), stop_reason=StopReason(ended)))) == []
        assert len(list(outcome_differences(wanted, completion_with(stop_reason=StopReason(ended))))) == 1


@pytest.mark.req("X-216")
def test_an_error_has_the_kind_of_its_status_and_words() -> None:
    cases = {
        (200, b""): "",
        (400, b"no such field"): "rejected",
        (400, b"prompt is too long"): "too long",
        (400, b"Your credit balance is too low"): "quota",
        (400, b"API_KEY_INVALID"): "key",
        (401, b""): "key",
        (404, b""): "not found",
        (429, b"slow down"): "rate limit",
        (429, b"insufficient_quota"): "quota",
        (429, b"billing details RetryInfo quotaId PerMinute"): "rate limit",
        (429, b"billing details RetryInfo quotaId X-PerDay"): "quota",
        (503, b""): "server error",
        (504, b""): "slow",
    }
    assert {case: kind_of_status(*case) for case in cases} == cases
    rate = Fault(FaultKind.RATE_LIMIT, 429)
    assert list(fault_differences(429, b"", rate)) == []
    for status, body, kind in (
        (429, b"", COMPLETION),
        (200, b"", rate),
        (503, b"", rate),
        (429, b"insufficient_quota", rate),
    ):
        assert len(list(fault_differences(status, body, kind))) == 1
