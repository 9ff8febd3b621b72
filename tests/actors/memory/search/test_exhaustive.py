"""The exhaustive ranking: the list that the formula gives over every row, for every question."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from actors.memory.search.exhaustive import POOL_PER_WANTED, rank_every_row
from tests.actors.memory.vectors import DAY_S, START_S, Corpus, Vectors

LATER_S = START_S + 200 * DAY_S


def draw_vectors(corpus: Corpus, size: int) -> Vectors:
    source = Vectors(corpus.dims)
    source.put(np.arange(size), corpus.vectors(size), corpus.times(size))
    return source


def list_nearest(
    source: Vectors,
    query: NDArray[np.float32],
    now_s: float,
    pinned: dict[int, float],
    count: int,
    allowed: set[int] | None = None,
    pool_per_wanted: int = POOL_PER_WANTED,
) -> list[tuple[int, float, bool]]:
    known = source.rows().tolist()
    mask = np.array([row in (known if allowed is None else allowed) for row in range(max(known, default=0) + 1)], bool)
    picks = rank_every_row(source, query, now_s, pinned, count, mask, pool_per_wanted=pool_per_wanted)
    return [(row, pick.score, pick.is_pinned) for row, pick in picks]


@pytest.mark.req("X-134")
@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([2, 40, 130]),
    st.sampled_from([0, 1, 30, 250]),
    st.sampled_from([0, 1, 2, 5, 30, 200]),
    st.sampled_from([0.0, 3.5, 200.0, 5000.0]),
)
def test_every_list_is_brute_forces(seed: int, dims: int, size: int, count: int, days: float) -> None:
    corpus = Corpus(seed, dims)
    source = draw_vectors(corpus, size)
    rows = source.rows()
    chosen = corpus.rng.permutation(rows).tolist()
    some = {row: source.known[row][0] for row in chosen[:3]} | {size + 7: START_S}
    more_than_fit = {row: source.known[row][0] for row in chosen[: count + 5]}
    allowed = set(rows[corpus.rng.random(size) < 0.5].tolist())
    now_s = START_S + days * DAY_S
    for query in corpus.vectors(2):
        for only in (None, allowed, set()):
            for pinned in ({}, some, more_than_fit):
                assert list_nearest(source, query, now_s, pinned, count, only) == source.rank_hits(
                    query, now_s, pinned, count, only
                )


def test_a_first_pool_that_is_too_small_changes_no_list(subtests: pytest.Subtests) -> None:
    for seed in range(4):
        with subtests.test(seed=seed):
            corpus = Corpus(seed, 40)
            source = draw_vectors(corpus, 600)
            for query in corpus.rng.standard_normal((3, 40)).astype(np.float32) + corpus.vectors(1)[0]:
                found = list_nearest(source, query, LATER_S, {}, 24, pool_per_wanted=1)
                assert found == source.rank_hits(query, LATER_S, {}, 24, None)


def test_an_old_row_that_is_most_similar_of_all_comes_first() -> None:
    rng, source = np.random.default_rng(1), Vectors(64)
    query = rng.standard_normal(64)
    near = query + 0.5 * rng.standard_normal((400, 64))
    near[7] = query + 0.2 * rng.standard_normal(64)
    times = np.full(400, START_S)
    times[7] -= 900 * DAY_S
    source.put(np.arange(400), near.astype(np.float32), times)
    found = list_nearest(source, query.astype(np.float32), START_S, {}, 5)
    assert found[0][0] == 7
    assert found == source.rank_hits(query.astype(np.float32), START_S, {}, 5, None)


def test_only_a_few_vectors_are_read_twice() -> None:
    source = draw_vectors(Corpus(3, 64), 4_000)
    source.fetched = 0
    list_nearest(source, np.random.default_rng(4).standard_normal(64).astype(np.float32), LATER_S, {}, 24)
    assert 4_000 < source.fetched < 5_500


def test_a_question_without_direction_gets_the_newest() -> None:
    source = draw_vectors(Corpus(5, 40), 1000)
    for query in (np.zeros(40, np.float32), np.full(40, np.nan, np.float32)):
        assert list_nearest(source, query, LATER_S, {}, 24) == source.rank_hits(query, LATER_S, {}, 24, None)


@pytest.mark.parametrize("days", [0, 900, -900])
def test_a_row_from_the_far_future_hides_no_other(days: int) -> None:
    rng, source = np.random.default_rng(1), Vectors(40)
    times = START_S - rng.random(400) * 100 * DAY_S
    times[-1] = START_S + 1600 * DAY_S
    query = rng.standard_normal(40).astype(np.float32)
    source.put(np.arange(400), (query + rng.standard_normal((400, 40))).astype(np.float32), times)
    now_s = START_S + days * DAY_S
    assert list_nearest(source, query, now_s, {}, 5) == source.rank_hits(query, now_s, {}, 5, None)


def test_rows_later_than_now_are_all_equally_new() -> None:
    corpus, source = Corpus(2, 40), Vectors(40)
    source.put(np.arange(400), corpus.vectors(400), START_S + corpus.rng.random(400) * DAY_S)
    query = np.zeros(40, np.float32)
    assert list_nearest(source, query, START_S, {}, 24) == source.rank_hits(query, START_S, {}, 24, None)


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot choose -1 rows"):
        list_nearest(draw_vectors(Corpus(1, 4), 3), np.zeros(4, np.float32), START_S, {}, -1)
