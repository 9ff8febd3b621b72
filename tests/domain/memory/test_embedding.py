from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.memory.embedding import PERMANENT, cut, google_fault, reason
from domain.policy.retrying import Fault, FaultKind

NOW = datetime(2026, 1, 30, tzinfo=UTC)
QUOTA_TEXT = "429 RESOURCE_EXHAUSTED. You exceeded your current quota, please check your plan and billing details."


def fault(status: int | None, message: str = "", details: object = None, **headers: str) -> Fault:
    return google_fault(["ClientError"], status, message, details, headers, NOW)


def quota(name: str, wait: object = None) -> object:
    violated = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": name}]}
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait}
    return {"error": {"code": 429, "details": [violated, retry]}}


@pytest.mark.slow
@given(st.text(max_size=60), st.integers(2, 40))
def test_what_is_cut_is_a_beginning_that_fits(text: str, max_chars: int) -> None:
    short = cut(text, max_chars)

    assert len(short) <= max_chars
    assert text.strip().startswith(short)
    assert bool(short) == bool(text.strip())
    assert len(text.strip()) > max_chars or short == text.strip()


def test_lone_surrogates_become_question_marks() -> None:
    assert cut("a\ud800b 😀") == "a?b 😀"


def test_it_is_cut_after_a_word_unless_that_costs_half(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int, str]] = [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two"),
        ("one two three", 8, "one two"),
        ("one two three", 7, "one two"),
        ("  one two  ", 7, "one two"),
        ("onetwothree", 6, "onetwo"),
        ("a bbbbbbbbbbbbbbbb", 10, "a bbbbbbbb"),
    ]
    for text, max_chars, short in cases:
        with subtests.test(text=text, max_chars=max_chars, short=short):
            assert cut(text, max_chars) == short


def test_a_limit_for_each_minute_passes_and_its_wait_is_known() -> None:
    limit_fault = fault(429, QUOTA_TEXT, quota("EmbedContentRequestsPerMinutePerUserPerProject-FreeTier", "33.25s"))

    assert (limit_fault.kind, limit_fault.asked_wait_s) == (FaultKind.RATE_LIMIT, 33.25)


def test_a_limit_for_each_day_needs_an_operator() -> None:
    limit_fault = fault(429, QUOTA_TEXT, quota("EmbedContentRequestsPerDayPerProject-FreeTier", "51s"))

    assert (limit_fault.kind, limit_fault.asked_wait_s) == (FaultKind.QUOTA, None)


def test_a_limit_of_zero_needs_an_operator() -> None:
    text = f"{QUOTA_TEXT} * Quota exceeded for metric: x, limit: 0"

    assert fault(429, text, quota("RequestsPerMinute", "33s")).kind is FaultKind.QUOTA


def test_a_429_that_says_nothing_more_is_taken_by_its_words() -> None:
    assert fault(429, "slow down").kind is FaultKind.RATE_LIMIT
    assert fault(429, QUOTA_TEXT).kind is FaultKind.QUOTA


def test_a_header_is_heard_where_the_body_says_nothing() -> None:
    assert fault(429, "slow down", None, **{"retry-after": "7"}).asked_wait_s == 7


def test_a_wait_that_is_none_is_not_heard(subtests: pytest.Subtests) -> None:
    cases: list[object] = [None, 5, "soon", "-3s", "1e9s", "99999999999999s", ["3s"]]
    for wait in cases:
        with subtests.test(wait=wait):
            assert fault(429, "slow down", quota("x", wait)).asked_wait_s is None


def test_details_may_have_any_shape(subtests: pytest.Subtests) -> None:
    cases: list[object] = [[], [[]], "text", {"details": {"details": {}}}, [quota("RequestsPerDay")]]
    for details in cases:
        with subtests.test(details=details):
            assert fault(429, "x", details).kind in (FaultKind.RATE_LIMIT, FaultKind.QUOTA)


def test_a_bad_key_is_a_400_at_google() -> None:
    assert fault(400, "400 INVALID_ARGUMENT. API key not valid. Please pass a valid API key.").kind is FaultKind.KEY
    assert fault(400, "400 INVALID_ARGUMENT. text is bad").kind is FaultKind.REJECTED


def test_every_fault_has_words_and_none_of_the_providers(subtests: pytest.Subtests) -> None:
    for kind in FaultKind:
        with subtests.test(kind=kind):
            text = reason(Fault(kind, 429, type_name="key=sk-secret"))

            assert "embedding" in text
            assert "sk-secret" not in text


def test_what_needs_an_operator_is_not_what_passes() -> None:
    assert {FaultKind.KEY, FaultKind.QUOTA, FaultKind.NOT_FOUND} == PERMANENT
