"""Embeddings of a server by its address: requests, answers, faults, and changed sizes."""

from __future__ import annotations

import base64
import json
import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actors.embedder.openai_provider import MOST_ANSWER_BYTES
from actors.http_client.connections import MOST_ERROR_BYTES
from domain.memory.space import Provider, Space
from messages.embedder import TextRole, TextsEmbedded
from tests.actors.embedder.loopback import LoopbackEmbeddings, Reply, Vectors, vector_of
from tests.actors.embedder.rig import DIMENSIONS, Rig

MODEL = "text-embedding-3-small"
SPACE = Space(Provider.OPENAI, MODEL, 0)
HELD = Reply(held=True)


@pytest.fixture
def make_rig(server: LoopbackEmbeddings, request: pytest.FixtureRequest) -> Callable[..., Rig]:
    """Rigs of this provider, which needs no library."""

    def make(**settings: Any) -> Rig:
        rig = Rig(server, **({"space": SPACE} | settings))
        request.addfinalizer(rig.system.stop)
        return rig

    return make


@pytest.fixture
def rig(make_rig: Callable[..., Rig]) -> Rig:
    return make_rig()


def direction(text: str, dimensions: int = DIMENSIONS) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    vector = np.array(vector_of(text, dimensions))
    unit: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = vector / np.linalg.norm(vector)
    return unit


def in_base64(vectors: Vectors) -> Vectors:
    return [base64.b64encode(np.array(vector, "<f4").tobytes()).decode() for vector in vectors]


def of_length(dimensions: int) -> Callable[[Vectors], Vectors]:
    return lambda vectors: [(vector * dimensions)[:dimensions] for vector in vectors]


def sized_reply(dimensions: int, *, held: bool = False) -> Reply:
    return Reply(spoil=of_length(dimensions), held=held)


def name_and_sizes(answer: object) -> tuple[str, list[int]]:
    assert isinstance(answer, TextsEmbedded), answer
    return answer.model, [len(vector) // 4 for vector in answer.vectors]


# what is sent


def test_a_call_has_the_model_the_texts_and_the_key(rig: Rig) -> None:
    rig.vectors(rig.ask("one", "two"))
    rig.vectors(rig.query("three"))

    document, question = rig.server.seen
    assert document.path == "/embeddings"
    assert document.body == {"model": MODEL, "input": ["one", "two"], "encoding_format": "base64"}
    assert question.body == {"model": MODEL, "input": ["three"], "encoding_format": "base64"}
    assert document.headers["authorization"] == "Bearer test-key"


def test_without_a_key_none_is_sent_and_none_of_the_environment(
    make_rig: Callable[..., Rig], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password sk-netrc\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    rig = make_rig(key="")

    rig.vectors(rig.ask("text"))

    assert "authorization" not in rig.server.seen[0].headers


def test_many_texts_go_32_a_call(rig: Rig) -> None:
    texts = [f"text {number}" for number in range(100)]

    vectors = rig.vectors(rig.ask(*texts))

    assert np.allclose(vectors, [direction(text) for text in texts], atol=1e-6)
    assert sorted(len(seen.texts) for seen in rig.server.seen) == [4, 32, 32, 32]


# what is understood


@pytest.mark.parametrize("spoil", [None, in_base64], ids=["numbers", "base64"])
def test_every_text_gets_its_own_vector_by_its_index(rig: Rig, spoil: Callable[[Vectors], Vectors] | None) -> None:
    rig.server.always = Reply(spoil=spoil)

    vectors = rig.vectors(rig.ask("one", "two", "three"))

    assert np.allclose(vectors, [direction(text) for text in ("one", "two", "three")], atol=1e-6)


def answer_of(items: list[dict[str, Any]]) -> Reply:
    return Reply(body={"object": "list", "data": items})


@pytest.mark.parametrize(
    "indexes",
    [(None, None), (0, 0), ("1", "0"), (True, False), (1, 2)],
    ids=["none", "double", "words", "flags", "of 1"],
)
def test_where_indexes_say_nothing_the_order_counts(rig: Rig, indexes: tuple[object, object]) -> None:
    items = [
        {"embedding": vector_of(text, DIMENSIONS)} | ({} if index is None else {"index": index})
        for text, index in zip(("one", "two"), indexes, strict=True)
    ]
    rig.server.always = answer_of(items)

    assert np.allclose(rig.vectors(rig.ask("one", "two")), [direction("one"), direction("two")], atol=1e-6)


def test_the_space_has_the_dimensions_that_the_server_gives(rig: Rig) -> None:
    rig.server.always = sized_reply(1536)

    assert name_and_sizes(rig.answer(rig.ask("text"))) == (f"openai/{MODEL}/1536", [1536])
    assert rig.figures()["dimensions"] == 1536


def test_blank_texts_have_no_vector_and_the_space_is_that_of_the_others(rig: Rig) -> None:
    assert name_and_sizes(rig.answer(rig.ask(" ", "word"))) == (f"openai/{MODEL}/{DIMENSIONS}", [0, DIMENSIONS])
    assert name_and_sizes(rig.answer(rig.ask(" "))) == (f"openai/{MODEL}/{DIMENSIONS}", [0])


# servers that know numbers only


@pytest.mark.parametrize("status", [400, 415, 422])
def test_a_server_that_knows_no_base64_is_asked_for_numbers_from_then_on(rig: Rig, status: int) -> None:
    rig.server.script = [Reply(status=status, body={"error": {"message": "encoding_format: unknown"}})]

    first, second = rig.vectors(rig.ask("one")), rig.vectors(rig.ask("two"))

    assert np.allclose([first[0], second[0]], [direction("one"), direction("two")], atol=1e-6)
    assert [seen.body.get("encoding_format") for seen in rig.server.seen] == ["base64", None, None]
    assert rig.figures()["calls_failed"] == 0


def test_a_server_that_took_base64_once_is_not_asked_for_numbers_when_it_refuses_a_text(rig: Rig) -> None:
    rig.vectors(rig.ask("before"))
    rig.server.always = Reply(status=400, body={"error": {"message": "no"}}, only_for="poison")

    answer = rig.answer(rig.ask("one", "poison", "three"))

    assert name_and_sizes(answer)[1] == [DIMENSIONS, 0, DIMENSIONS]
    assert {seen.body.get("encoding_format") for seen in rig.server.seen} == {"base64"}


# what a server can do wrong

PASSING = {
    "429": (Reply(status=429, body={"error": {"message": "slow down"}}), "fewer calls (429)"),
    "500": (Reply(status=500, body={"error": {"message": "internal"}}), "answered 500"),
    "503 page": (Reply(status=503, body=b"<html>unavailable</html>"), "answered 503"),
    "a large 502 page": (Reply(status=502, body=b"x" * 4 * MOST_ERROR_BYTES), "answered 502"),
    "reset": (Reply(reset=True), "broke off"),
    "page": (Reply(body=b"<html>captive portal</html>"), "without usable vectors"),
    "error in a 200": (Reply(body={"error": {"message": "internal"}}), "without usable vectors"),
    "a list": (Reply(body=[1, 2]), "without usable vectors"),
    "no list": (Reply(body={"data": {"0": [1.0]}}), "without usable vectors"),
    "items that are none": (Reply(body={"data": [7, None]}), "without usable vectors"),
    "nothing": (Reply(body=b""), "without usable vectors"),
    "broken": (Reply(body=b'{"data": [{"emb'), "without usable vectors"),
    "no text": (Reply(body=b'{"data": "\xff"}'), "without usable vectors"),
    "deep": (Reply(body=b"[" * 100_000), "without usable vectors"),
    "too few": (Reply(spoil=lambda vectors: vectors[:1]), "without usable vectors"),
    "too many": (Reply(spoil=lambda vectors: [*vectors, vectors[0]]), "without usable vectors"),
    "huge": (Reply(body=b" " * (MOST_ANSWER_BYTES + 1)), "more than 67108864 bytes, the most that are read"),
}


@pytest.mark.parametrize(("reply", "words"), PASSING.values(), ids=PASSING)
def test_what_passes_is_waited_out_and_leaves_no_trace(rig: Rig, reply: Reply, words: str) -> None:
    rig.server.script = [reply]
    request_id = rig.ask("one", "two")
    rig.wait_until(calls_failed=1)

    assert words in str(rig.figures()["last_error"])
    rig.pass_time(1.6)  # too many calls are waited out, whatever the texts are

    assert np.allclose(rig.vectors(request_id), [direction("one"), direction("two")], atol=1e-6)
    assert rig.figures()["state"] == "working"
    assert len(rig.server.seen) <= 4


PERMANENT = {
    "401": (Reply(status=401, body={"error": {"message": "Incorrect API key provided: sk-secret"}}), "key"),
    "403": (Reply(status=403, body={"error": {"message": "no"}}), "key"),
    "404": (Reply(status=404, body={"error": {"message": "model 'x' not found, try pulling it first"}}), "is unknown"),
    "quota": (
        Reply(status=429, body={"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}),
        "quota",
    ),
}


@pytest.mark.parametrize(("reply", "words"), PERMANENT.values(), ids=PERMANENT)
def test_what_an_operator_must_mend_is_told_at_once_and_to_all(rig: Rig, reply: Reply, words: str) -> None:
    rig.server.always = reply

    failures = [rig.failure(rig.ask("one")), rig.failure(rig.query("two"))]

    assert [failure.is_permanent for failure in failures] == [True, True]
    assert words in failures[0].reason
    assert "secret" not in failures[0].reason
    assert len(rig.server.seen) <= 2  # with a harmless text, where a firewall may have answered for the server


def test_the_wait_that_a_server_asks_for_is_kept(rig: Rig) -> None:
    rig.server.script = [Reply(status=429, body={"error": {"message": "x"}}, headers={"Retry-After": "90"})]
    rig.ask("one")
    rig.wait_until(calls_failed=1)

    assert rig.pause_s() == pytest.approx(90)


def test_a_call_that_takes_too_long_counts_as_failed(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(timeout_s=0.3)
    rig.server.script = [HELD]
    request_id = rig.ask("one")
    rig.wait_until(calls_failed=1)
    rig.server.release()

    assert "in time" in str(rig.figures()["last_error"])
    rig.pass_time(2)
    assert len(rig.vectors(request_id)) == 1


def test_a_server_that_is_not_there_is_waited_for(rig: Rig, server: LoopbackEmbeddings) -> None:
    server.address = "http://127.0.0.1:1"
    absent = Rig(server, SPACE)
    absent.ask("one")

    absent.wait_until(calls_failed=1)
    said = absent.figures()
    absent.system.stop()

    assert "could not be reached" in str(said["last_error"])
    assert said["state"] == "failing"


def test_without_a_server_everything_is_refused_at_once(
    make_rig: Callable[..., Rig], server: LoopbackEmbeddings
) -> None:
    server.address = ""
    rig = make_rig()

    failure = rig.failure(rig.ask("one"))

    assert failure.is_permanent
    assert "address of its server" in failure.reason


SPOILT: dict[str, object] = {
    "NaN": [math.nan] * DIMENSIONS,
    "infinite": [math.inf] * DIMENSIONS,
    "zeros": [0.0] * DIMENSIONS,
    "words": ["a"] * DIMENSIONS,
    "numbers in words": ["1"] * DIMENSIONS,
    "null inside": [None] * DIMENSIONS,
    "null": None,
    "empty": [],
    "nested": [[1.0] * DIMENSIONS],
    "no base64": "?" * 88,
    "half a number in base64": base64.b64encode(b"12345").decode(),
    "NaN in base64": base64.b64encode(np.full(DIMENSIONS, np.nan, "<f4").tobytes()).decode(),
    "empty base64": "",
}


@pytest.mark.parametrize("value", SPOILT.values(), ids=SPOILT)
def test_a_bad_vector_is_asked_for_once_more_and_spoils_no_other(rig: Rig, value: object) -> None:
    rig.server.always = Reply(only_for="poison", spoil=lambda vectors: [value, *vectors[1:]])
    request_id = rig.ask("poison", "two", "three")

    while rig.figures()["requests_waiting"]:
        rig.pass_time(1)

    assert name_and_sizes(rig.answer(request_id)) == (f"openai/{MODEL}/{DIMENSIONS}", [0, DIMENSIONS, DIMENSIONS])
    assert rig.figures()["calls_failed"] in (0, 1)
    assert sum("two" in seen.texts for seen in rig.server.seen) == 1


# sizes that change


def test_another_size_is_another_space(rig: Rig) -> None:
    first = rig.answer(rig.ask("text"))
    rig.server.always = sized_reply(8)
    second = rig.answer(rig.ask("text"))

    assert name_and_sizes(first) == (f"openai/{MODEL}/{DIMENSIONS}", [DIMENSIONS])
    assert name_and_sizes(second) == (f"openai/{MODEL}/8", [8])


def test_queries_of_another_size_are_forgotten(rig: Rig) -> None:
    rig.vectors(rig.query("question"))
    rig.server.always = sized_reply(8)
    rig.vectors(rig.ask("document"))

    assert name_and_sizes(rig.answer(rig.query("question"))) == (f"openai/{MODEL}/8", [8])
    # One text alone does not change the size: a harmless one is asked about it first.
    assert rig.server.texts == ["question", "document", "hello", "document", "question"]


def test_a_size_that_changes_within_a_job_is_never_mixed_and_what_was_made_before_is_made_anew(rig: Rig) -> None:
    rig.server.script = [Reply(), sized_reply(8, held=True)]
    rig.server.always = sized_reply(8)
    texts = [f"text {number}" for number in range(40)]
    request_id = rig.ask(*texts)
    rig.wait_until(calls_in_flight=1)

    rig.server.release()

    assert name_and_sizes(rig.answer(request_id)) == (f"openai/{MODEL}/8", [8] * 40)
    assert rig.figures()["texts_without_vector"] == 0


def test_a_server_of_two_minds_is_not_asked_for_ever(rig: Rig) -> None:
    rig.server.script = [reply for _ in range(50) for reply in (Reply(), sized_reply(8, held=True))]
    rig.server.release()
    request_id = rig.ask(*[f"text {number}" for number in range(100)])

    name, sizes = name_and_sizes(rig.answer(request_id))

    assert set(sizes) - {0} == {int(name.rpartition("/")[2])}
    assert rig.figures()["texts_without_vector"] == sizes.count(0) > 0
    assert len(rig.server.seen) <= 12
    assert rig.figures()["requests_waiting"] == 0


def test_of_one_call_the_size_of_most_counts(rig: Rig) -> None:
    rig.server.script = [Reply(spoil=lambda vectors: [vectors[0][:8], *vectors[1:]])]

    assert name_and_sizes(rig.answer(rig.ask("one", "two", "three"))) == (
        f"openai/{MODEL}/{DIMENSIONS}",
        [DIMENSIONS] * 3,
    )


def test_one_text_whose_vector_has_another_size_has_none_and_the_others_keep_theirs(rig: Rig) -> None:
    rig.server.always = Reply(only_for="poison", spoil=lambda vectors: [[1.0] * 17, *vectors[1:]])

    answer = rig.answer(rig.ask("poison", "two", "three"))

    assert name_and_sizes(answer) == (f"openai/{MODEL}/{DIMENSIONS}", [0, DIMENSIONS, DIMENSIONS])


def test_it_describes_itself(rig: Rig) -> None:
    assert rig.figures()["dimensions"] == 0
    rig.vectors(rig.ask("one"))

    said = rig.figures()
    assert (said["provider"], said["model"], said["dimensions"]) == ("openai", MODEL, DIMENSIONS)


# order and ends


def test_queries_overtake_documents(rig: Rig) -> None:
    rig.server.always = HELD
    rig.ask(*[f"text {number}" for number in range(400)])
    rig.server.wait_for_calls(8)
    query = rig.query("question")
    rig.server.wait_for_calls(9)

    assert rig.server.seen[-1].texts == ["question"]
    assert rig.figures()["calls_in_flight"] == 9
    rig.server.release()
    assert len(rig.vectors(query)) == 1


def test_who_waits_when_it_stops_is_told(rig: Rig) -> None:
    rig.server.always = HELD
    requests = [rig.ask("a document"), rig.ask("a question", role=TextRole.QUERY)]
    rig.server.wait_for_calls(2)

    rig.system.stop()

    assert [rig.failure(request_id).is_permanent for request_id in requests] == [False, False]


def test_texts_and_keys_are_never_logged(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    rig.server.script = [Reply(status=500, body=b"the secret plan"), Reply(body=json.dumps("the secret plan").encode())]
    request_id = rig.ask("the secret plan")
    while rig.figures()["requests_waiting"]:
        rig.pass_time(1)
    rig.answer(request_id)
    rig.system.stop()  # all is logged

    assert [secret for secret in ("secret plan", "test-key") if secret in caplog.text] == []


def test_words_that_were_a_question_cost_no_call_as_a_document(rig: Rig) -> None:
    asked = rig.vectors(rig.query("the same words"))
    kept = rig.vectors(rig.ask("the same words", "other words"))

    assert np.array_equal(asked[0], kept[0])
    assert [seen.texts for seen in rig.server.seen] == [["the same words"], ["other words"]]
