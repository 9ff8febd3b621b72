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
GIVEN = Completion(
    text="I ask.",
    tool_calls=(CALL,),
    stop_reason=StopReason.TOOL_CALLS,
    thoughts="Hm.",
    usage=Usage(prompt_tokens=9, completion_tokens=4, cached_tokens=2),
)


def given(**fields: object) -> Completion:
    return msgspec.structs.replace(GIVEN, **fields)


@pytest.mark.req("X-216")
def test_each_part_of_an_answer_that_is_not_as_recorded_is_a_difference() -> None:
    assert list(outcome_differences(WANTED, GIVEN)) == []
    usage = GIVEN.usage
    cases = [
        given(text="I ask"),
        given(tool_calls=()),
        given(tool_calls=(CALL, CALL)),
        given(tool_calls=(ToolCall(id="c2", name="weather", arguments_json='{"city":"Rome"}'),)),
        given(tool_calls=(ToolCall(id="c1", name="weather", arguments_json='{"city":"Oslo"}'),)),
        given(stop_reason=StopReason.STOP),
        given(refusal="No."),
        given(thoughts=""),
        given(usage=Usage(prompt_tokens=8, completion_tokens=4, cached_tokens=2)),
        given(usage=Usage(prompt_tokens=9, completion_tokens=5, cached_tokens=2)),
        given(usage=Usage(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)),
    ]
    failures = [case for case in cases if len(list(outcome_differences(WANTED, case))) != 1]
    assert not failures


@pytest.mark.req("X-216")
def test_thoughts_in_tags_and_calls_that_the_provider_cannot_read_are_no_part_of_an_answer() -> None:
    for text, shown in (("<think>a</think>b", "b"), (" <think> a", ""), ("a</think>b", "b"), ("a <b> c", "a <b> c")):
        assert Outcome(texts=[text]).text == shown
    for ended in ("malformed", "filter", "refusal"):
        wanted = replace(WANTED, ended=ended)
        assert list(outcome_differences(wanted, given(tool_calls=(), stop_reason=StopReason(ended)))) == []
        assert len(list(outcome_differences(wanted, given(stop_reason=StopReason(ended))))) == 1


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
    for status, body, said in (
        (429, b"", GIVEN),
        (200, b"", rate),
        (503, b"", rate),
        (429, b"insufficient_quota", rate),
    ):
        assert len(list(fault_differences(status, body, said))) == 1
