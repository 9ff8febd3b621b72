from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from time import thread_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.scoring import Candidate, Ranked, final_score, rank, recency, relevance_of, sigmoid
from messages.facts import EntryRole

NOW = datetime(2026, 11, 26, tzinfo=UTC)


def unit(*numbers: float) -> bytes:
    vector = np.array(numbers, dtype="<f4")
    return bytes((vector / np.linalg.norm(vector)).astype("<f4").tobytes())


def candidate(name: str, relevance: float, vector: bytes = b"", days: float = 0.0) -> Candidate:
    at = NOW - timedelta(days=days)
    return Candidate(name, EntryRole.MEMORY, "c", name, at, vector, relevance)


def names(rank_all: tuple[Ranked, ...]) -> list[str]:
    return [each.candidate.id for each in rank_all]


def rank_all(*candidates: Candidate, **changed: float) -> list[str]:
    settings = {"threshold": 0.35, "recency_weight": 0.2, "mmr_lambda": 0.7} | changed
    top_k = int(settings.pop("top_k", 5))
    return names(rank(candidates, NOW, top_k=top_k, **settings))


@pytest.mark.req("S2-44", "X-83")
def test_relevance_is_the_cosine_or_the_sigmoid_of_a_logit() -> None:
    assert (relevance_of(-0.3), relevance_of(0.4), relevance_of(1.0001)) == (0.0, 0.4, 1.0)
    assert sigmoid(0) == 0.5
    assert sigmoid(2) == pytest.approx(1 / (1 + math.exp(-2)))


@given(st.floats(allow_nan=False))
def test_every_logit_has_a_relevance(logit: float) -> None:
    assert 0.0 <= sigmoid(logit) <= 1.0


@pytest.mark.req("S2-46", "S2-69")
def test_recency_falls_to_a_third_in_thirty_days() -> None:
    assert recency(30) == pytest.approx(0.3679, abs=1e-4)
    assert recency(0) == recency(-5) == 1.0


@pytest.mark.req("S2-47")
def test_the_score_weighs_relevance_and_recency() -> None:
    assert final_score(0.5, 1.0, 0.2) == pytest.approx(0.6)


@pytest.mark.req("S2-45", "S2-92")
def test_what_is_less_relevant_than_the_threshold_is_out() -> None:
    assert rank_all(candidate("below", 0.349), candidate("at", 0.35)) == ["at"]
    assert rank_all(candidate("below", 0.349), threshold=0.2) == ["below"]


@pytest.mark.req("S2-48", "S2-49", "S2-90")
def test_of_five_that_say_the_same_another_is_chosen_before_the_second() -> None:
    same = [candidate(f"same{n}", 0.9 - n / 100, unit(1, 0.01 * n)) for n in range(5)]
    other = candidate("other", 0.5, unit(0, 1))

    assert rank_all(*same, other, top_k=2) == ["same0", "other"]
    assert rank_all(*same, other, top_k=2, mmr_lambda=1.0) == ["same0", "same1"]


@pytest.mark.req("S2-49", "X-84")
def test_diversity_acts_on_the_score_of_relevance_and_age_together() -> None:
    old = candidate("old", 0.8, unit(1, 0), days=300)
    new = candidate("new", 0.7, unit(0, 1))

    assert rank_all(old, new) == ["new", "old"]
    assert rank_all(old, new, recency_weight=0.0) == ["old", "new"]


def test_the_order_is_that_of_the_formula_step_by_step() -> None:
    pool = [candidate(str(n), 0.4 + 0.05 * n, unit(1, n % 3, n % 2), days=7.0 * n) for n in range(9)]
    scores = {each.id: final_score(each.relevance, recency((NOW - each.created_at).days), 0.2) for each in pool}
    vectors = {each.id: np.frombuffer(each.vector, dtype="<f4") for each in pool}
    wanted: list[str] = []
    while len(wanted) < 9:
        left = [each.id for each in pool if each.id not in wanted]
        worth = {
            name: 0.7 * scores[name] - 0.3 * max(float(vectors[name] @ vectors[other]) for other in wanted)
            if wanted
            else scores[name]
            for name in left
        }
        wanted.append(max(left, key=lambda name: worth[name]))

    assert rank_all(*pool, top_k=9) == wanted


def test_one_that_two_scopes_give_counts_once_and_none_is_made_up() -> None:
    assert rank_all(candidate("a", 0.9), candidate("a", 0.9), candidate("b", 0.8)) == ["a", "b"]
    assert rank_all() == []
    assert rank_all(candidate("a", 0.9), top_k=0) == []


def test_vectors_that_are_missing_or_of_another_size_are_like_no_other() -> None:
    assert rank_all(candidate("a", 0.9, unit(1, 0)), candidate("b", 0.8, unit(1, 0, 0)), candidate("c", 0.7)) == [
        "a",
        "b",
        "c",
    ]


def test_vectors_that_are_no_numbers_are_like_no_other() -> None:
    broken = [np.array([np.nan, 1], dtype="<f4").tobytes(), np.array([np.inf, 1], dtype="<f4").tobytes()]
    pool = [candidate("a", 0.9, unit(1, 0)), candidate("b", 0.8, broken[0]), candidate("c", 0.7, broken[1])]

    assert rank_all(*pool) == ["a", "b", "c"]
    assert rank_all(candidate("nan", math.nan), candidate("a", 0.9)) == ["a"]


@given(
    st.lists(
        st.builds(
            candidate,
            st.sampled_from("abcdefgh"),
            st.floats(0, 1),
            st.sampled_from([b"", b"odd", unit(1, 0), unit(0, 1), unit(1, 1), unit(-1, 0), unit(1, 0, 0)]),
            st.floats(-100, 10_000),
        ),
        max_size=12,
    ),
    st.integers(0, 12),
    st.floats(0, 1),
)
def test_as_many_as_are_wanted_are_chosen_each_once(pool: list[Candidate], top_k: int, mmr_lambda: float) -> None:
    ranking = rank_all(*pool, top_k=top_k, mmr_lambda=mmr_lambda)
    relevant = {each.id for each in {each.id: each for each in pool if each.relevance >= 0.35}.values()}

    assert len(ranking) == len(set(ranking)) == min(top_k, len(relevant))
    assert set(ranking) <= relevant


def test_of_equals_the_newer_comes_first_then_the_order_of_ids() -> None:
    old, new = candidate("a", 0.5, days=3.0), candidate("z", 0.5, days=2.0)

    assert rank_all(old, new, recency_weight=0.0) == ["z", "a"]
    assert rank_all(candidate("b", 0.5), candidate("a", 0.5), candidate("c", 0.5)) == ["a", "b", "c"]


def test_thirty_candidates_are_ranked_in_less_than_a_millisecond() -> None:
    vectors = np.random.default_rng(1).normal(size=(30, 1_536))
    pool = [candidate(str(n), 0.5 + n / 100, unit(*vectors[n])) for n in range(30)]
    took = []
    for _ in range(20):
        began = thread_time()
        rank_all(*pool)
        took.append(thread_time() - began)

    assert min(took) < 0.001
