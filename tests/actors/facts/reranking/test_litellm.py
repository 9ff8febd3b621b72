"""A service that litellm knows, through real litellm from a loopback server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from actors.facts.reranking.judge import judge_of
from messages.embedder import TextsReranked
from tests.actors.embedder.loopback import LoopbackEmbeddings, Reply, Vectors, relevance_of
from tests.actors.facts.reranking.rig import Rig

MODEL = "cohere/rerank-v3.5"
KEYS = {"COHERE_API_KEY": "sk-right", "OTHER_API_KEY": "sk-other"}


@pytest.fixture
def rig(litellm: None, server: LoopbackEmbeddings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    monkeypatch.setenv("COHERE_API_BASE", server.address)
    rig = Rig(judge_of("litellm", MODEL, KEYS))
    yield rig
    rig.system.stop()


def test_scores_are_relevances_in_the_order_of_the_texts(rig: Rig, server: LoopbackEmbeddings) -> None:
    texts = [f"text {number}" for number in range(10)]

    answer = rig.answer(rig.ask("query", *texts))

    assert isinstance(answer, TextsReranked)
    assert not answer.are_logits
    assert answer.scores == pytest.approx([relevance_of(text) for text in texts])
    (seen,) = server.seen
    assert seen.path.endswith("/rerank")
    assert seen.headers["authorization"].lower() == "bearer sk-right"
    assert (seen.body["model"], seen.body["query"], seen.body["documents"]) == ("rerank-v3.5", "query", texts)


def test_long_texts_are_cut_and_half_characters_replaced(rig: Rig, server: LoopbackEmbeddings) -> None:
    rig.scores("word " * 5_000, "word " * 50_000, "a\ud800b")

    (seen,) = server.seen
    assert len(seen.body["query"]) <= 8_000
    assert len(seen.body["documents"][0]) <= 8_000
    assert seen.body["documents"][1] == "a?b"


def change_first(**fields: Any) -> Callable[[Vectors], Vectors]:
    return lambda results: [results[0] | fields, *results[1:]]


SPOILT: dict[str, tuple[Callable[[Vectors], Vectors], str]] = {
    "left out": (lambda results: results[1:], "judged 2 of 3 texts"),
    "none": (lambda _results: [], "of 3 texts"),
    "one twice": (lambda results: [*results[1:], results[1]], "judged 2 of 3 texts"),
    "one more": (lambda results: [*results, {"index": 3, "relevance_score": 0.5}], "judged 4 of 3 texts"),
    "beyond one": (change_first(relevance_score=1.5), "not between 0 and 1"),
    "a logit": (change_first(relevance_score=-4.0), "not between 0 and 1"),
    "NaN": (change_first(relevance_score=float("nan")), "not between 0 and 1"),
}


@pytest.mark.parametrize(("spoil", "words"), SPOILT.values(), ids=SPOILT)
def test_an_answer_that_is_not_one_relevance_for_each_text_is_a_failure(
    rig: Rig, server: LoopbackEmbeddings, spoil: Callable[[Vectors], Vectors], words: str
) -> None:
    server.always = Reply(spoil=spoil)

    assert words in rig.reason(rig.ask("query", "a", "b", "c"))


def test_what_rounding_brings_beyond_is_brought_back(rig: Rig, server: LoopbackEmbeddings) -> None:
    server.always = Reply(
        spoil=lambda results: [{"index": 0, "relevance_score": 1.0000001}, {"index": 1, "relevance_score": -1e-9}]
    )

    assert rig.scores("query", "a", "b") == (1.0, 0.0)


WRONG = {
    "401": (Reply(status=401, body={"message": "invalid api token sk-right"}), "key"),
    "429": (Reply(status=429, body={"message": "slow down"}), "429"),
    "500": (Reply(status=500, body={"message": "internal"}), "500"),
    "reset": (Reply(reset=True), "reranker: "),
    "page": (Reply(body=b"<html>captive portal</html>"), "reranker: "),
    "no results": (Reply(body={"id": "x"}), "reranker: "),
    "results that are none": (Reply(body={"id": "x", "results": [7]}), "reranker: "),
    "words": (Reply(body={"id": "x", "results": [{"index": "0", "relevance_score": "high"}]}), "reranker: "),
}


@pytest.mark.parametrize(("reply", "words"), WRONG.values(), ids=WRONG)
def test_a_service_that_fails_is_told_once_and_not_asked_again(
    rig: Rig, server: LoopbackEmbeddings, reply: Reply, words: str
) -> None:
    server.script = [reply]

    reason = rig.reason(rig.ask("query", "the secret plan"))

    assert words in reason
    assert [secret for secret in ("sk-right", "secret plan") if secret in reason] == []
    assert len(server.seen) == 1
    assert len(rig.scores("query", "text")) == 1


def test_a_service_that_is_silent_is_given_up(rig: Rig, server: LoopbackEmbeddings) -> None:
    rig.scores("query", "text")
    server.script = [Reply(held=True)]

    reason = rig.reason(rig.ask("query", "text", deadline_s=1.0))
    server.release()

    assert "did not answer" in reason


def test_a_model_that_litellm_does_not_know_is_told(litellm: None) -> None:
    rig = Rig(judge_of("litellm", "nobody-knows-this", KEYS))

    reason = rig.reason(rig.ask("query", "text"))
    rig.system.stop()

    assert "is unknown" in reason
