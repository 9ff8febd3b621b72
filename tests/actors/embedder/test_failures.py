"""Faults of a provider, through the real clients from a loopback server."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from messages.embedder import TextsEmbedded
from tests.actors.embedder.loopback import Reply, Vectors
from tests.actors.embedder.rig import DIMENSIONS, GOOGLE, OPENAI, Rig

PROVIDERS = pytest.mark.parametrize("space", [GOOGLE, OPENAI], ids=["google", "litellm"])
PROBE_S = 600.0


@pytest.fixture(autouse=True)
def _litellm(litellm: None) -> None:
    """Some tests call it."""


def google_error(code: int, message: str, *details: dict[str, Any]) -> Reply:
    return Reply(status=code, body={"error": {"code": code, "message": message, "details": list(details)}})


def openai_error(status: int, message: str, code: str = "") -> Reply:
    return Reply(status=status, body={"error": {"message": message, "type": code, "code": code}})


def quota(name: str, wait_s: str = "") -> Reply:
    details: list[dict[str, Any]] = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": name}]}
    ]
    if wait_s:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait_s})
    return google_error(429, "You exceeded your current quota, please check your plan and billing details.", *details)


def replace_vector(index: int, value: object) -> Callable[[Vectors], Vectors]:
    return lambda vectors: [value if place == index else vector for place, vector in enumerate(vectors)]


PASSING = {
    "429": Reply(status=429, body={"error": {"code": 429, "message": "slow down"}}),
    "500": Reply(status=500, body={"error": {"code": 500, "message": "internal"}}),
    "503 page": Reply(status=503, body=b"<html>unavailable</html>"),
    "reset": Reply(reset=True),
    "page": Reply(body=b"<html>captive portal</html>"),
    "error in a 200": Reply(body={"error": {"code": 500, "message": "internal"}}),
    "nothing": Reply(body=b""),
    "broken": Reply(body=b'{"embeddings": [{"val'),
}


@pytest.mark.req("C-29")
def test_what_passes_is_waited_out_and_leaves_no_trace(make_rig: Callable[..., Rig], subtests: pytest.Subtests) -> None:
    for reply, space in product(PASSING.values(), [GOOGLE, OPENAI]):
        with subtests.test(space=space, reply=reply):
            rig = make_rig(space=space)
            rig.server.script = [reply]
            request_id = rig.ask("one", "two")
            rig.wait_until(calls_failed=1)
            rig.pass_time(1.6)  # too many calls are waited out, whatever the texts are

            assert [len(vector) for vector in rig.vectors(request_id)] == [DIMENSIONS] * 2
            assert rig.figures()["state"] == "working"
            assert len(rig.server.seen) <= 4


def test_a_call_that_takes_too_long_counts_as_failed(make_rig: Callable[..., Rig], subtests: pytest.Subtests) -> None:
    for space in [GOOGLE, OPENAI]:
        with subtests.test(space=space):
            rig = make_rig(space=space, timeout_s=0.3)
            rig.server.script = [Reply(held=True)]
            request_id = rig.ask("one")
            rig.wait_until(calls_failed=1)
            rig.server.release()

            assert "in time" in str(rig.figures()["last_error"])
            rig.pass_time(2)

            assert len(rig.vectors(request_id)) == 1


@pytest.mark.req("S0-24")
def test_pauses_double_from_one_second_to_five_minutes(rig: Rig) -> None:
    rig.server.always = Reply(status=500)
    rig.ask("one")

    pauses = []
    for failures in range(1, 12):
        rig.wait_until(calls_failed=1 + failures)  # the text's call, and a probe in each pause
        pauses.append(rig.pause_s())
        rig.pass_time(rig.pause_s() + 0.1)

    least = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert [low <= pause <= low + 0.5 for low, pause in zip(least, pauses, strict=True)] == [True] * 11


def test_a_hundred_requests_during_an_outage_are_one_call_at_a_time_and_all_come_through(rig: Rig) -> None:
    rig.server.script = [Reply(status=500)] * 5
    requests = [rig.ask(f"text {number}") for number in range(100)]

    while rig.figures()["requests_waiting"]:
        rig.pass_time(1)

    for request_id in requests:
        assert len(rig.vectors(request_id)) == 1
    # Three began side by side before the first had failed; each of these is asked for by itself afterwards.
    assert len(rig.server.seen) <= 12


def test_the_wait_in_a_header_is_kept(make_rig: Callable[..., Rig], subtests: pytest.Subtests) -> None:
    for space in [GOOGLE, OPENAI]:
        with subtests.test(space=space):
            rig = make_rig(space=space)
            rig.server.script = [
                Reply(status=429, body={"error": {"code": 429, "message": "x"}}, headers={"Retry-After": "90"})
            ]
            rig.ask("one")
            rig.wait_until(calls_failed=1)

            assert rig.pause_s() == pytest.approx(90)


def test_the_wait_in_googles_retry_info_is_kept(rig: Rig) -> None:
    rig.server.script = [quota("EmbedContentRequestsPerMinutePerProject", "33.5s")]
    request_id = rig.ask("one")
    rig.wait_until(calls_failed=1)

    assert rig.pause_s() == pytest.approx(33.5)
    rig.pass_time(33.5)
    assert len(rig.vectors(request_id)) == 1


def test_a_query_whose_deadline_lies_in_a_pause_is_told_at_once_and_costs_no_call(rig: Rig) -> None:
    rig.server.script = [quota("EmbedContentRequestsPerMinutePerProject", "30s")]
    document = rig.ask("document")
    rig.wait_until(calls_failed=1)

    failure = rig.failure(rig.query("question", deadline_s=5))

    assert not failure.is_permanent
    assert "fewer calls" in failure.reason
    assert len(rig.server.seen) == 1
    rig.pass_time(30)
    assert len(rig.vectors(document)) == 1


def test_a_query_gets_a_second_try_within_its_deadline(rig: Rig) -> None:
    rig.server.script = [Reply(reset=True)]
    request_id = rig.query("question", deadline_s=5)
    rig.wait_until(calls_failed=1)

    rig.pass_time(1.6)

    assert len(rig.vectors(request_id)) == 1


SPOILT: dict[str, Callable[[Vectors], Vectors]] = {
    "NaN": replace_vector(1, [math.nan] * DIMENSIONS),
    "infinite": replace_vector(1, [math.inf] * DIMENSIONS),
    "zeros": replace_vector(1, [0.0] * DIMENSIONS),
    "shorter": replace_vector(1, [1.0] * (DIMENSIONS - 1)),
    "longer": replace_vector(1, [1.0] * (DIMENSIONS + 1)),
    "words": replace_vector(1, ["a"] * DIMENSIONS),
    "numbers in words": replace_vector(1, ["1"] * DIMENSIONS),
    "null": replace_vector(1, None),
    "too few": lambda vectors: vectors[:1],
    "too many": lambda vectors: [*vectors, vectors[0]],
}


def test_a_bad_vector_is_asked_for_once_more(make_rig: Callable[..., Rig], subtests: pytest.Subtests) -> None:
    for spoil, space in product(SPOILT.values(), [GOOGLE, OPENAI]):
        with subtests.test(space=space, spoil=spoil):
            rig = make_rig(space=space)
            rig.server.script = [Reply(spoil=spoil)]
            request_id = rig.ask("one", "two", "three")
            rig.figures()
            rig.server.wait_for_calls(1)

            while rig.figures()["requests_waiting"]:
                rig.pass_time(1)

            assert [len(vector) for vector in rig.vectors(request_id)] == [DIMENSIONS] * 3


def test_a_text_that_never_gets_a_good_vector_has_none_and_spoils_no_others(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    for value, space in product([[math.nan] * DIMENSIONS, [0.0] * DIMENSIONS, [1.0], None], [GOOGLE, OPENAI]):
        with subtests.test(space=space, value=value):
            rig = make_rig(space=space)
            rig.server.always = Reply(only_for="poison", spoil=replace_vector(0, value))
            request_id = rig.ask("poison", "two", "three")

            while rig.figures()["requests_waiting"]:
                rig.pass_time(1)
            answer = rig.answer(request_id)

            assert isinstance(answer, TextsEmbedded)
            assert [len(vector) // 4 for vector in answer.vectors] == [0, DIMENSIONS, DIMENSIONS]
            assert answer.put_off == (0,)


def test_a_provider_that_never_gives_a_usable_vector_is_not_stormed(rig: Rig) -> None:
    rig.server.always = Reply(spoil=lambda vectors: [[0.0] * DIMENSIONS for _ in vectors])
    rig.ask("one")
    rig.ask("two")

    for _ in range(60):
        rig.pass_time(1)

    assert len(rig.server.seen) <= 8


def test_a_text_that_google_refuses_spoils_no_others(rig: Rig) -> None:
    refusal = google_error(400, "content is not acceptable")
    rig.server.always = Reply(status=400, body=refusal.body, only_for="poison")
    request_id = rig.ask("one", "poison", "three")

    answer = rig.answer(request_id)

    assert isinstance(answer, TextsEmbedded)
    assert [len(vector) // 4 for vector in answer.vectors] == [DIMENSIONS, 0, DIMENSIONS]
    assert len(rig.server.seen) <= 6


PERMANENT = {
    "401": (GOOGLE, google_error(401, "Request had invalid authentication credentials."), "key"),
    "403": (GOOGLE, google_error(403, "Permission denied."), "key"),
    "bad key": (GOOGLE, google_error(400, "API key not valid. Please pass a valid API key."), "key"),
    "model": (GOOGLE, google_error(404, "models/x is not found"), "is unknown"),
    "day": (GOOGLE, quota("EmbedContentRequestsPerDayPerProject-FreeTier", "30000s"), "quota"),
    "place": (GOOGLE, google_error(400, "User location is not supported for the API use."), "refused"),
    "openai 401": (OPENAI, openai_error(401, "Incorrect API key provided: sk-secret"), "key"),
    "openai quota": (OPENAI, openai_error(429, "You exceeded your current quota", "insufficient_quota"), "quota"),
}


def test_what_an_operator_must_mend_is_one_alert_and_no_storm(
    make_rig: Callable[..., Rig], caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    for space, reply, words in PERMANENT.values():
        with subtests.test(space=space, reply=reply, words=words):
            caplog.clear()
            rig = make_rig(space=space)
            rig.server.always = reply
            requests = [rig.ask(f"text {number}") for number in range(50)]

            failures = [rig.failure(request_id) for request_id in requests]
            later = rig.failure(rig.query("question"))
            rig.wait_until(calls_in_flight=0)
            calls = len(rig.server.seen)

            assert calls <= 4
            assert all(failure.is_permanent and words in failure.reason for failure in [*failures, later])
            for _ in range(5):
                rig.pass_time(PROBE_S)
                rig.wait_until(calls_in_flight=0)
            assert len(rig.server.seen) == calls + 5
            alerts = [record for record in caplog.records if record.levelno >= logging.ERROR]
            assert len(alerts) == 1
            assert words in alerts[0].getMessage()
            assert "secret" not in caplog.text


def test_a_refusal_that_comes_behind_the_alert_is_not_looked_into(rig: Rig) -> None:
    refusal = google_error(400, "User location is not supported for the API use.")
    rig.server.script = [Reply(status=400, body=refusal.body, held=True)] * 2
    rig.server.always = refusal
    held = [rig.ask("one"), rig.ask("two")]
    rig.server.wait_for_calls(2)
    rig.failure(rig.ask("three"))
    for request_id in held:
        rig.failure(request_id)
    assert len(rig.server.seen) == 4  # with the probe
    rig.server.release()
    rig.wait_until(calls_in_flight=0)

    assert len(rig.server.seen) == 4


def test_once_the_operator_has_mended_it_the_next_probe_finds_out(rig: Rig) -> None:
    rig.server.always = google_error(401, "no")
    rig.failure(rig.ask("before"))
    rig.server.always = Reply()
    assert rig.failure(rig.ask("still refused")).is_permanent

    rig.pass_time(PROBE_S)
    rig.wait_until(state="working")

    assert len(rig.vectors(rig.ask("after"))) == 1


def test_a_probe_that_fails_in_passing_leaves_it_shut(rig: Rig) -> None:
    rig.server.script = [google_error(401, "no"), Reply(status=500), Reply(reset=True)]
    rig.failure(rig.ask("before"))

    for _ in range(2):
        rig.pass_time(PROBE_S)
        rig.wait_until(calls_in_flight=0)
        assert rig.figures()["state"] == "refused"
    rig.pass_time(PROBE_S)
    rig.wait_until(state="working")


def test_without_a_key_google_is_not_called(make_rig: Callable[..., Rig], caplog: pytest.LogCaptureFixture) -> None:
    rig = make_rig(key="")
    failure = rig.failure(rig.ask("one"))

    assert failure.is_permanent
    assert "key" in failure.reason
    assert rig.server.seen == []
    assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 1


def test_texts_and_keys_are_never_logged(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "actors")
    rig.server.script = [Reply(status=500), Reply(spoil=lambda vectors: []), Reply(spoil=lambda vectors: [])]
    request_id = rig.ask("the secret plan")
    while rig.figures()["requests_waiting"]:
        rig.pass_time(1)
    rig.answer(request_id)
    rig.system.stop()  # all is logged

    assert "secret plan" not in caplog.text
    assert "test-key" not in caplog.text
