from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.retrying import (
    RETRYABLE,
    Fault,
    FaultKind,
    RetryPolicy,
    classify,
    next_wait_s,
    reason,
    retry_after_s,
)

NOW = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)
NO_QUOTA = "You exceeded your current quota, please check your plan and billing details."


def google_429(quota_id: str, delay: str) -> str:
    """The body of a refusal that says which limit was passed, and when to come again."""
    violation = f'{{"quotaId": "{quota_id}", "quotaDimensions": {{"model": "gemini-2.5-flash"}}}}'
    details = f'[{{"violations": [{violation}]}}, {{"retryDelay": "{delay}"}}]'
    return f'{{"error": {{"code": 429, "message": "{NO_QUOTA}", "details": {details}}}}}'


POLICY = RetryPolicy()


def test_a_failure_is_told_by_its_status_its_types_and_its_words(subtests: pytest.Subtests) -> None:
    cases: list[tuple[tuple[str, ...], int | None, str, FaultKind]] = [
        (("RateLimitError",), 429, "slow down", FaultKind.RATE_LIMIT),
        (("RateLimitError",), 429, "insufficient_quota: You exceeded your current quota", FaultKind.QUOTA),
        (("BadRequestError",), 400, "Your credit balance is too low", FaultKind.QUOTA),
        (("APIError",), 402, "", FaultKind.QUOTA),
        (
            ("RateLimitError",),
            429,
            google_429("GenerateRequestsPerMinutePerProjectPerModel", "26s"),
            FaultKind.RATE_LIMIT,
        ),
        (("RateLimitError",), 429, google_429("GenerateRequestsPerDayPerProjectPerModel", "26s"), FaultKind.QUOTA),
        (("RateLimitError",), 429, "limit: 0 " + google_429("RequestsPerMinute", "26s"), FaultKind.QUOTA),
        (("RateLimitError",), 429, NO_QUOTA, FaultKind.QUOTA),
        (("RateLimitError",), 429, '"error_code": "enforced_spend_limit_reached"', FaultKind.QUOTA),
        (("BadRequestError",), 400, "You have reached your specified API usage limits.", FaultKind.QUOTA),
        (("BadRequestError",), 400, 'not valid. "reason": "API_KEY_INVALID"', FaultKind.KEY),
        (("InternalServerError",), 500, "", FaultKind.SERVER),
        (("ServiceUnavailableError",), 503, "", FaultKind.SERVER),
        (("APIError",), 529, "Overloaded", FaultKind.SERVER),
        (("APIError",), None, "Overloaded", FaultKind.SERVER),
        (("APIError",), 408, "", FaultKind.SLOW),
        (("APITimeoutError", "APIConnectionError"), None, "", FaultKind.SLOW),
        (("InternalServerError", "ConnectError", "NetworkError"), 500, "", FaultKind.UNREACHABLE),
        (("InternalServerError", "ReadError", "NetworkError"), 500, "", FaultKind.CUT_OFF),
        (("ClientConnectorError", "ClientOSError", "ClientConnectionError"), None, "", FaultKind.UNREACHABLE),
        (("ClientOSError", "ClientConnectionError"), None, "", FaultKind.CUT_OFF),
        (("ClientResponseError", "ClientError"), None, "", FaultKind.UNREADABLE),
        (("ClientResponseError", "ClientError"), 503, "", FaultKind.SERVER),
        (("JSONDecodeError", "ValueError"), None, "", FaultKind.UNREADABLE),
        (("AuthenticationError",), 401, "", FaultKind.KEY),
        (("PermissionDeniedError",), 403, "", FaultKind.KEY),
        (("NotFoundError",), 404, "", FaultKind.NOT_FOUND),
        (("BadRequestError",), 400, "LLM Provider NOT provided. You passed model=x", FaultKind.NOT_FOUND),
        (("BadRequestError",), 400, "This model's maximum context length is 8192 tokens", FaultKind.TOO_LONG),
        (("BadRequestError",), 400, "prompt is too long: 250000 tokens > 200000 maximum", FaultKind.TOO_LONG),
        (("APIError",), 413, "", FaultKind.TOO_LONG),
        (("RateLimitError",), 429, "Request too large (TPM): Limit 30000, Requested 132819", FaultKind.TOO_LONG),
        (("RateLimitError",), 429, "Rate limit (TPM): Limit 30000, Used 29000, Requested 1200", FaultKind.RATE_LIMIT),
        (("BadRequestError",), 400, '"type": "request_too_large"', FaultKind.TOO_LONG),
        (
            ("BadRequestError",),
            400,
            "token count (9) exceeds the maximum number of tokens allowed (8)",
            FaultKind.TOO_LONG,
        ),
        (("APIError",), None, "maximum context length", FaultKind.TOO_LONG),
        (("BadRequestError",), 400, "bad", FaultKind.REJECTED),
        (("KeyError", "LookupError"), None, "'x'", FaultKind.UNKNOWN),
    ]
    for names, status, message, kind in cases:
        with subtests.test(names=names, status=status, message=message, kind=kind):
            assert classify(names, status, message, {}, NOW).kind is kind


@pytest.mark.req("X-235")
def test_words_of_a_server_are_judged_in_little_time(subtests: pytest.Subtests) -> None:
    for word in ("reduc", "limit", "max", "only ", "too many ", "quotaId", " token", "not ", "retryDelay", "\n"):
        with subtests.test(word=word):
            words = word * (8_000_000 // len(word))
            before = time.process_time()
            for status in (400, 429, 500, None):
                classify(("APIError",), status, words, {}, NOW)
            assert time.process_time() - before < 0.5


def test_what_cannot_pass_by_itself_is_not_tried_again() -> None:
    final = set(FaultKind) - RETRYABLE

    assert {FaultKind.KEY, FaultKind.NOT_FOUND, FaultKind.TOO_LONG, FaultKind.REJECTED, FaultKind.QUOTA} <= final
    assert all(next_wait_s(Fault(kind), 1, 2.0, POLICY) is None for kind in final)


@pytest.mark.req("C-11")
def test_what_may_pass_is_tried_again_as_often_as_the_policy_says() -> None:
    for kind in RETRYABLE - {FaultKind.IDLE_STREAM}:
        assert [next_wait_s(Fault(kind), attempt, 2.0, POLICY) for attempt in (1, 2, 3, 4)] == [2.0, 2.0, 2.0, None]
    assert [next_wait_s(Fault(FaultKind.IDLE_STREAM), attempt, 2.0, POLICY) for attempt in (1, 2)] == [2.0, None]
    assert next_wait_s(Fault(FaultKind.SERVER), 1, 2.0, RetryPolicy(max_retries=0)) is None


def test_a_server_is_never_asked_again_sooner_than_it_wants() -> None:
    assert next_wait_s(Fault(FaultKind.RATE_LIMIT, 429, 7.0), 1, 2.0, POLICY) == 7.0
    assert next_wait_s(Fault(FaultKind.RATE_LIMIT, 429, 0.0), 1, 2.0, POLICY) == 2.0
    assert next_wait_s(Fault(FaultKind.RATE_LIMIT, 429, 60.0), 1, 2.0, POLICY) == 60.0


def test_a_server_that_wants_more_than_a_minute_is_given_up_at_once() -> None:
    assert next_wait_s(Fault(FaultKind.RATE_LIMIT, 429, 60.1), 1, 2.0, POLICY) is None


def test_the_wished_wait_is_read_in_every_form(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, str], float | None]] = [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "Fri, 30 Jan 2026 14:24:55 GMT"}, 60.0),
        ({"retry-after": "Fri, 30 Jan 2026 14:24:55 -0000"}, 60.0),
        ({"retry-after": "Fri, 30 Jan 2026 10:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e99"}, None),
    ]
    for headers, wait_s in cases:
        with subtests.test(headers=headers, wait_s=wait_s):
            assert retry_after_s(headers, NOW) == wait_s


def test_the_wished_wait_of_a_limit_is_read_in_its_body_where_no_header_has_it(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, dict[str, str], float | None]] = [
        (google_429("PerMinute", "26s"), {}, 26.0),
        (google_429("PerMinute", "26.417s"), {}, 26.417),
        (google_429("PerMinute", "26s"), {"retry-after": "3"}, 3.0),
        (repr(google_429("PerMinute", "26s").replace(", ", ",\n  ").encode()), {}, 26.0),
        (google_429("PerMinute", "soon"), {}, None),
        (google_429("PerDay", "26s"), {}, None),
    ]
    for message, headers, wait_s in cases:
        with subtests.test(message=message, headers=headers, wait_s=wait_s):
            assert classify(("RateLimitError",), 429, message, headers, NOW).asked_wait_s == wait_s


@given(st.text())
def test_no_header_breaks_the_reader(value: str) -> None:
    wait_s = retry_after_s({"retry-after": value, "retry-after-ms": value}, NOW)

    assert wait_s is None or wait_s >= 0


def test_the_reason_is_words_for_a_person(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Fault, int, str]] = [
        (Fault(FaultKind.RATE_LIMIT, 429), 4, "the model's server answered 429 (rate limit) 4 times"),
        (Fault(FaultKind.SERVER, 500), 1, "the model's server answered 500 (server error)"),
        (Fault(FaultKind.SERVER), 4, "the model's server reported a server error 4 times"),
        (Fault(FaultKind.UNREACHABLE, 500), 4, "the model's server could not be reached 4 times"),
        (Fault(FaultKind.KEY, 401), 1, "the key for the model's server is missing or was refused (401)"),
        (Fault(FaultKind.KEY), 1, "the key for the model's server is missing or was refused"),
        (
            Fault(FaultKind.RATE_LIMIT, 429, 3600.0),
            1,
            "the model's server answered 429 (rate limit); it asks to wait 3600 s",
        ),
        (
            Fault(FaultKind.UNKNOWN, type_name="KeyError"),
            1,
            "the call of the model failed for an unknown reason (KeyError)",
        ),
    ]
    for fault, attempts, text in cases:
        with subtests.test(fault=fault, attempts=attempts, text=text):
            assert reason(fault, attempts) == text


@given(st.sampled_from(FaultKind), st.text(), st.text())
def test_no_word_of_a_server_gets_into_the_reason(kind: FaultKind, message: str, type_name: str) -> None:
    fault = classify((f"{type_name} sk-secret",), None, f"{message} sk-secret", {}, NOW)

    assert "sk-secret" not in reason(fault, 1)
    assert "{" not in reason(Fault(kind), 2)
    assert "?" not in reason(Fault(kind), 2)


def test_a_policy_that_cannot_be_followed_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, float]] = [
        {"max_retries": -1},
        {"base_s": -1.0},
        {"factor": 0.5},
        {"cap_s": 1.0},
        {"jitter_s": -0.1},
    ]
    for broken in cases:
        with subtests.test(broken=broken), pytest.raises(ValueError, match="must be"):
            RetryPolicy(**broken)  # type: ignore[arg-type]


def test_what_a_server_asks_to_wait_counts_only_where_another_try_could_help(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int, float | None]] = [("RateLimitError", 429, 7.0), ("AuthenticationError", 401, None)]
    for names, status, wait_s in cases:
        with subtests.test(names=names, status=status, wait_s=wait_s):
            assert classify((names,), status, "", {"retry-after": "7"}, NOW).asked_wait_s == wait_s
