"""Requests of the embedder to a working provider, and their order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from messages.base import Surface, Window
from messages.embedder import TextRole, TextsEmbedded
from messages.forget import DerivedForgotten
from tests.actors.embedder.loopback import Reply, vector_of
from tests.actors.embedder.rig import DIMENSIONS, EMBEDDER, OPENAI, Rig
from tests.crash import CRASH
from tests.forget_requests import forget_request
from tests.patience import PATIENCE_S

HELD = Reply(held=True)
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")


def direction(text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    vector = np.array(vector_of(text, DIMENSIONS))
    unit: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = vector / np.linalg.norm(vector)
    return unit


def test_every_text_gets_its_own_vector_in_order_and_of_unit_length(rig: Rig) -> None:
    texts = [f"text {number}" for number in range(250)]

    vectors = rig.vectors(rig.ask(*texts))

    assert len(vectors) == 250
    assert np.allclose([np.linalg.norm(vector) for vector in vectors], 1, atol=1e-6)
    assert np.allclose(vectors, [direction(text) for text in texts], atol=1e-6)


@pytest.mark.req("S0-23", "C-07")
def test_google_is_asked_for_the_model_the_size_and_the_task(rig: Rig) -> None:
    rig.vectors(rig.ask("a document"))
    rig.vectors(rig.query("a question"))

    document, question = rig.server.seen
    assert document.path.endswith("models/gemini-embedding-001:batchEmbedContents")
    assert document.headers["x-goog-api-key"] == "test-key"
    assert document.body["requests"][0]["taskType"] == "RETRIEVAL_DOCUMENT"
    assert document.body["requests"][0]["outputDimensionality"] == DIMENSIONS
    assert question.body["requests"][0]["taskType"] == "RETRIEVAL_QUERY"


def test_litellm_is_asked_with_key_and_size_and_its_answer_is_put_in_order(
    litellm: None, make_rig: Callable[..., Rig]
) -> None:
    rig = make_rig(space=OPENAI)

    vectors = rig.vectors(rig.ask("one", "two", "three"))

    assert np.allclose(vectors, [direction(text) for text in ("one", "two", "three")], atol=1e-6)
    assert rig.server.seen[0].path.endswith("/embeddings")
    assert rig.server.seen[0].headers["authorization"] == "Bearer test-key"
    assert rig.server.seen[0].body["input"] == ["one", "two", "three"]


def test_vectors_are_named_by_their_space(rig: Rig) -> None:
    answer = rig.answer(rig.ask("text"))

    assert isinstance(answer, TextsEmbedded)
    assert answer.model == f"google/gemini-embedding-001/{DIMENSIONS}"


def test_documents_that_wait_go_together_a_hundred_a_call(rig: Rig) -> None:
    rig.server.script = [HELD, HELD, HELD]
    first = [rig.ask(f"first {number}") for number in range(3)]
    rig.server.wait_for_calls(3)
    rest = [rig.ask(f"text {number}") for number in range(150)]
    rig.wait_until(requests_waiting=153)

    rig.server.release()
    for request_id in first + rest:
        rig.vectors(request_id)

    assert sorted(len(seen.texts) for seen in rig.server.seen) == [1, 1, 1, 50, 100]


def test_a_call_holds_no_more_characters_than_fit(rig: Rig) -> None:
    rig.vectors(rig.ask(*["word " * 1500] * 30))

    assert max(sum(map(len, seen.texts)) for seen in rig.server.seen) <= 100_000
    assert len(rig.server.texts) == 30


def test_few_calls_are_in_flight_and_one_is_left_for_queries(rig: Rig) -> None:
    rig.server.always = HELD
    rig.ask(*[f"text {number}" for number in range(1000)])
    rig.server.wait_for_calls(3)
    query = rig.query("question")
    rig.server.wait_for_calls(4)
    rig.wait_until(calls_in_flight=4)

    assert rig.server.seen[-1].texts == ["question"]
    rig.server.release()
    assert len(rig.vectors(query)) == 1
    assert rig.server.most_at_once == 4


def test_queries_overtake_documents_that_wait(rig: Rig) -> None:
    rig.server.script = [HELD] * 4
    documents = rig.ask(*[f"text {number}" for number in range(1500)])
    first = rig.query("first question")
    rig.server.wait_for_calls(4)
    second = rig.query("second question")
    rig.wait_until(requests_waiting=3)

    rig.server.release()
    for request_id in (first, second, documents):
        rig.vectors(request_id)

    # What begins side by side may arrive in another order.
    assert ["second question"] in [seen.texts for seen in rig.server.seen[4:8]]
    assert len(rig.server.seen) == 17


def test_a_query_that_was_asked_before_costs_no_call(rig: Rig) -> None:
    first = rig.vectors(rig.query("the same question"))
    second = rig.vectors(rig.query(" the same question\n"))

    assert np.array_equal(first, second)
    assert rig.server.texts == ["the same question"]


def test_a_document_is_not_answered_with_a_querys_vector(rig: Rig) -> None:
    rig.vectors(rig.query("the same words"))
    rig.vectors(rig.ask("the same words"))

    assert len(rig.server.seen) == 2


def test_no_more_than_256_queries_are_kept(rig: Rig) -> None:
    for number in range(257):
        rig.vectors(rig.query(f"question {number}"))

    rig.vectors(rig.query("question 256"))
    assert len(rig.server.seen) == 257
    rig.vectors(rig.query("question 0"))
    assert len(rig.server.seen) == 258


def test_blank_texts_have_no_vector_and_cost_nothing(rig: Rig) -> None:
    blank = rig.answer(rig.ask("", " \n"))
    mixed = rig.answer(rig.ask("", "word"))

    assert isinstance(blank, TextsEmbedded)
    assert blank.vectors == (b"", b"")
    assert isinstance(mixed, TextsEmbedded)
    assert [len(vector) for vector in mixed.vectors] == [0, 4 * DIMENSIONS]
    assert rig.server.texts == ["word"]


def test_no_texts_are_answered_with_no_vectors(rig: Rig) -> None:
    assert rig.vectors(rig.ask()) == []


def test_long_texts_are_cut_at_a_word(rig: Rig) -> None:
    rig.vectors(rig.ask("word " * 5000))

    assert rig.server.texts == [("word " * 1600).strip()]


def test_the_same_request_twice_is_one_request(rig: Rig) -> None:
    rig.server.script = [HELD]
    request_id = rig.query("question")
    rig.server.wait_for_calls(1)
    rig._ids = iter([request_id])  # type: ignore[assignment]
    rig.query("question")
    rig.wait_until(requests_waiting=1)

    rig.server.release()
    rig.vectors(request_id)

    assert rig.figures()["calls"] == 1
    assert not rig.has_answer()


def test_a_query_is_answered_when_its_deadline_passes_and_its_vector_is_kept_when_it_comes(rig: Rig) -> None:
    rig.server.script = [HELD]
    request_id = rig.query("question", deadline_s=5)
    rig.server.wait_for_calls(1)

    rig.pass_time(4.9)
    assert not rig.has_answer()
    rig.pass_time(0.2)
    failure = rig.failure(request_id)
    rig.server.release()
    rig.wait_until(calls_in_flight=0)

    assert not failure.is_permanent
    assert "in time" in failure.reason
    assert len(rig.vectors(rig.query("question"))) == 1
    assert len(rig.server.seen) == 1


def test_who_waits_when_it_stops_is_told(rig: Rig) -> None:
    rig.server.always = HELD
    requests = [rig.ask("a document"), rig.query("a question")]
    rig.server.wait_for_calls(2)

    rig.system.stop()

    for request_id in requests:
        assert not rig.failure(request_id).is_permanent


@pytest.mark.slow
@pytest.mark.crashes
def test_after_a_crash_it_works_on_and_nobody_waits_for_ever(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(real_time=True)
    rig.server.script = [HELD]
    lost = rig.ask("a document")
    rig.server.wait_for_calls(1)

    rig.system.tell(EMBEDDER, CRASH)
    rig.failure(lost)

    assert len(rig.vectors(rig.ask("another"))) == 1


def test_it_describes_itself(rig: Rig) -> None:
    rig.vectors(rig.ask("one", "two"))

    assert rig.figures() == {
        "provider": "google",
        "model": "gemini-embedding-001",
        "dimensions": DIMENSIONS,
        "state": "working",
        "pause_s": 0.0,
        "requests_waiting": 0,
        "texts_waiting": 0,
        "calls_in_flight": 0,
        "calls": 1,
        "calls_failed": 0,
        "texts_without_vector": 0,
        "last_error": "",
    }


def test_queries_without_a_deadline_wait_as_documents_do(rig: Rig) -> None:
    rig.server.script = [Reply(status=500)]
    request_id = rig.ask("question", role=TextRole.QUERY)
    rig.wait_until(calls_failed=1)

    rig.pass_time(2)

    assert len(rig.vectors(request_id)) == 1


@pytest.mark.req("X-250")
def test_a_kept_question_is_asked_anew_once_something_is_forgotten(rig: Rig) -> None:
    rig.vectors(rig.query("quagmire"))
    rig.vectors(rig.query("quagmire"))
    assert len(rig.server.seen) == 1

    rig.system.tell(EMBEDDER, forget_request(rig.edge.address, WINDOW, "t1"))
    answer = rig.edge.receive(PATIENCE_S, lambda heard: isinstance(heard, DerivedForgotten))

    assert isinstance(answer, DerivedForgotten)
    assert answer.count == 1
    rig.vectors(rig.query("quagmire"))
    assert len(rig.server.seen) == 2
