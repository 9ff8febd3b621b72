"""The source's formula: pins, then maximal marginal relevance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from domain.memory.ranking import Candidate, Ranked, cosines, rank, recencies, similarities

Vector = NDArray[np.float32]
APART = np.eye(8, dtype=np.float32)


def candidate(
    row: int, sim: float, age_days: float = 0.0, *, pinned: bool = False, vector: Vector | None = None
) -> Candidate:
    return Candidate(row, sim, age_days, pinned, APART[row % 8] if vector is None else vector)


def order(ranked: Sequence[Ranked]) -> list[int]:
    return [one.candidate.row for one in ranked]


def oracle(candidates: Sequence[Candidate], count: int) -> list[tuple[int, float]]:
    """The formula, step by step, with no thought of speed."""
    left = list(candidates)
    chosen: list[tuple[int, float]] = []
    ranked_so_far: list[Candidate] = []

    def sim(one: Candidate) -> float:
        return 0.0 if math.isnan(one.sim) else min(max(one.sim, 0.0), 1.0)

    def score(one: Candidate) -> float:
        others = np.array([other.vector for other in ranked_so_far], np.float32).reshape(-1, len(one.vector))
        redundancy = float(similarities(others, one.vector).max(initial=0.0))
        recency = float(recencies(np.array([one.age_days]))[0])
        return 0.7 * sim(one) + 0.2 * recency - 0.1 * redundancy

    def tie(one: Candidate) -> tuple[float, int]:
        return max(one.age_days, 0.0), one.row

    result = sum(not one.is_pinned for one in candidates)
    while left and len(ranked_so_far) < count:
        pins = [one for one in left if one.is_pinned]
        if pins and len(ranked_so_far) < count - min(count // 4, result):
            best = min(pins, key=lambda one: (math.isnan(one.sim), -sim(one), *tie(one)))
        elif not ranked_so_far:
            best = min(left, key=lambda one: (-sim(one), *tie(one)))
        else:
            best = min((one for one in left if not one.is_pinned), key=lambda one: (-score(one), *tie(one)))
        chosen.append((best.row, score(best)))
        ranked_so_far.append(best)
        left.remove(best)
    return chosen


@pytest.mark.req("S0-60", "S0-73")
def test_the_formula_is_the_sources() -> None:
    half = np.array([0.5, math.sqrt(0.75)] + [0.0] * 6, np.float32)
    ranked = rank([candidate(0, 0.9, vector=APART[0]), candidate(1, 0.8, vector=half)], 2)
    assert ranked[1].score == pytest.approx(0.71)
    assert ranked[1].parts.sim == 0.8
    assert ranked[1].parts.recency == 1.0
    assert ranked[1].parts.redundancy == pytest.approx(0.5)


@pytest.mark.req("S0-71")
def test_recency_halves_with_age_as_the_source_says() -> None:
    result = recencies(np.array([0.0, 14.0, 7.0, -3.0]))
    assert result == pytest.approx([1.0, 0.36787944, 0.60653066, 1.0])


@pytest.mark.req("S0-74")
def test_without_a_pin_the_most_similar_comes_first_though_its_score_is_lower() -> None:
    assert order(rank([candidate(1, 0.95, 60.0), candidate(2, 0.90, 0.0)], 2)) == [1, 2]


@pytest.mark.req("S0-68", "X-05")
def test_with_a_pin_the_best_score_follows_it() -> None:
    ranked = rank([candidate(1, 0.95, 60.0), candidate(2, 0.90, 0.0), candidate(3, 0.1, pinned=True)], 3)
    assert order(ranked) == [3, 2, 1]
    assert [one.is_pinned for one in ranked] == [True, False, False]


def test_pins_come_by_similarity_then_newest_and_unknown_similarity_last() -> None:
    pins = [
        candidate(1, math.nan, 0.0, pinned=True),
        candidate(2, 0.3, 9.0, pinned=True),
        candidate(3, 0.3, 2.0, pinned=True),
        candidate(4, 0.7, 9.0, pinned=True),
        candidate(5, 0.0, 9.0, pinned=True),
    ]
    assert order(rank(pins, 9)) == [4, 3, 2, 5, 1]


@pytest.mark.req("X-06")
def test_pins_count_and_too_many_are_cut() -> None:
    assert order(rank([candidate(1, 0.1, pinned=True), candidate(2, 0.2, pinned=True), candidate(3, 0.9)], 1)) == [2]


@pytest.mark.req("S0-68", "X-06")
def test_pins_leave_a_quarter_of_the_places_to_what_is_found() -> None:
    pins = [candidate(row, 0.9, pinned=True) for row in range(1, 30)]
    result = [candidate(row, 0.1) for row in (40, 41, 42)]
    assert [one.is_pinned for one in rank([*pins, *result], 12)] == [True] * 9 + [False] * 3
    assert [one.is_pinned for one in rank([*pins, *result], 24)] == [True] * 21 + [False] * 3
    assert [one.is_pinned for one in rank([*pins, *result], 3)] == [True] * 3
    assert [one.is_pinned for one in rank(pins, 12)] == [True] * 12


@pytest.mark.req("S0-60", "S0-72")
def test_a_duplicate_of_what_is_chosen_yields_to_something_else() -> None:
    result = rank(
        [
            candidate(1, 0.90, vector=APART[0]),
            candidate(2, 0.88, vector=APART[0]),
            candidate(3, 0.80, vector=APART[1]),
        ],
        3,
    )
    assert order(result) == [1, 3, 2]
    assert result[2].parts.redundancy == 1.0


@pytest.mark.req("X-05")
def test_equals_come_newest_first_then_by_row() -> None:
    assert order(rank([candidate(3, 0.5, 2.0), candidate(2, 0.5, 2.0), candidate(1, 0.5, 3.0)], 3)) == [2, 3, 1]


@pytest.mark.req("S0-70", "X-04")
def test_opposite_vectors_have_no_redundancy() -> None:
    result = rank([candidate(1, 0.9, vector=APART[0]), candidate(2, 0.8, vector=-APART[0])], 2)
    assert result[1].parts.redundancy == 0.0


@pytest.mark.req("S0-70", "X-04")
def test_a_right_angle_is_no_likeness_and_neither_is_more() -> None:
    half = np.array([1.0, 1.0, 0, 0, 0, 0, 0, 0], np.float32)
    result = similarities(np.stack([APART[0], half, APART[1], -half, -APART[0]]), APART[0])
    assert result == pytest.approx([1.0, 0.5**0.5, 0.0, 0.0, 0.0])


@pytest.mark.req("S0-70")
def test_a_vector_without_direction_has_cosine_zero_with_everything() -> None:
    odd = np.array([[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [3e38, 3e38], [1e-38, 0.0], [2.0, 0.0]], np.float32)
    result = cosines(odd, np.array([1.0, 0.0], np.float32))
    assert result == pytest.approx([0.0, 0.0, 0.0, math.sqrt(0.5), 1.0, 1.0])
    assert not cosines(odd, odd[1]).any()


def test_nothing_is_chosen_from_nothing_or_of_none() -> None:
    assert rank([], 5) == []
    assert rank([candidate(1, 0.5)], 0) == []


def test_what_makes_no_sense_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[Candidate], int]] = [
        ([], -1),
        ([candidate(1, 0.5), candidate(1, 0.4)], 2),
        ([candidate(1, 0.5), Candidate(2, 0.5, 0.0, False, np.zeros(3, np.float32))], 2),
        ([candidate(1, 0.5, math.nan)], 1),
    ]
    for candidates, count in cases:
        with subtests.test(candidates=candidates, count=count), pytest.raises(ValueError, match=r".+"):
            rank(candidates, count)


SIMS = st.one_of(st.sampled_from([math.nan, -0.4, 0.0, 0.5, 1.0]), st.floats(-1.0, 1.0))
AGES = st.one_of(st.sampled_from([-1.0, 0.0, 3.0, 3.0, 900.0]), st.floats(0.0, 400.0))


@st.composite
def memories(draw: st.DrawFn) -> list[Candidate]:
    """Some memories; few different vectors, so that many are equal, opposite or without direction."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([1, 3, 40]))
    vectors = rng.standard_normal((draw(st.integers(1, 6)), size)).astype(np.float32)
    vectors = np.concatenate(
        [vectors, -vectors[:1], np.zeros_like(vectors[:1]), vectors[:1] * 7, np.full_like(vectors[:1], np.nan)]
    )
    rows = draw(st.lists(st.integers(0, 10_000), unique=True, max_size=30))
    return [
        Candidate(
            row, draw(SIMS), draw(AGES), draw(st.integers(0, 9)) == 0, vectors[draw(st.integers(0, len(vectors) - 1))]
        )
        for row in rows
    ]


@pytest.mark.req("S0-69", "C-10")
@settings(deadline=None)
@given(memories(), st.integers(0, 40))
def test_the_choice_is_the_one_that_computing_every_score_gives(candidates: list[Candidate], count: int) -> None:
    assert [(one.candidate.row, one.score) for one in rank(candidates, count)] == oracle(candidates, count)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 600), st.sampled_from([1, 7, 8, 96, 768]))
def test_a_cosine_is_the_same_to_the_last_bit_alone_or_among_others(seed: int, count: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, size)).astype(np.float32)
    query = rng.standard_normal(size).astype(np.float32)
    place = int(rng.integers(count))
    alone = cosines(vectors[place : place + 1], query)[0]
    assert alone == cosines(vectors, query)[place]
    assert alone == cosines(query[None], vectors[place])[0]
