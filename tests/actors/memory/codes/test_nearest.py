"""Searches over codes: the same answers as brute force, for every question."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from actors.memory.codes.file import second_path
from actors.memory.codes.nearest import Allowed, Nearest
from actors.memory.codes.tuning import RankingTuning, TopTuning, Tuning
from tests.actors.memory.vectors import DAY_S, START_S, Vectors

SPACE = "model/1"


class Corpus:
    """Draws vectors and times: clusters, doubles, opposites, nothing; few different times, so that many are equal."""

    def __init__(self, seed: int, dims: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.dims = dims
        self._centres = self.rng.standard_normal((4, dims)) / np.arange(1, dims + 1) ** 0.5

    def vectors(self, count: int) -> NDArray[np.float32]:
        centres = self._centres[self.rng.integers(0, 4, count)]
        noise = self.rng.choice([0.0, 0.1, 1.0], (count, 1)) * self.rng.standard_normal((count, self.dims))
        drawn = (centres + noise) * self.rng.choice([-1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 5.0], (count, 1))
        drawn[self.rng.random(count) < 0.02] = np.nan
        vectors: NDArray[np.float32] = drawn.astype(np.float32)
        return vectors

    def times(self, count: int) -> NDArray[np.float64]:
        days = np.where(self.rng.random(count) < 0.5, self.rng.integers(0, 5, count), self.rng.random(count) * 200)
        return START_S + days * DAY_S


def agree(nearest: Nearest, source: Vectors, corpus: Corpus, count: int) -> None:
    """Ask some questions; every answer must be the truth."""
    rows = source.rows()
    allowed = set(rows[corpus.rng.random(len(rows)) < 0.5].tolist()) | {-5}
    chosen = corpus.rng.permutation(rows).tolist()
    pinned = {row: source.known[row][0] for row in chosen[:3]} | {-7: START_S}
    more_than_fit = {row: source.known[row][0] for row in chosen[: count + 5]}
    now = START_S + float(corpus.rng.choice([0.0, 3.5, 200.0, 5000.0])) * DAY_S
    numbered = np.array([row in allowed for row in range(int(rows.max(initial=0)) + 10)], np.bool_)
    masks: list[tuple[set[int] | None, Allowed | None]] = [
        (None, None),
        (allowed, np.array(sorted(allowed, reverse=True), np.int64)),
        (allowed, numbered),
        (set(), np.empty(0, np.int64)),
    ]
    for query in corpus.vectors(2):
        for only, mask in masks:
            found, sims = nearest.top(query, count, mask)
            assert (found.tolist(), sims.tolist()) == source.nearest(query, count, only)
            for pins in ({}, pinned, more_than_fit):
                ranked = nearest.exhaustive(query, now, pins, count, mask)
                listed = [(one.row, one.score, one.is_pinned) for one in ranked]
                assert listed == source.ranked(query, now, pins, count, only)


@pytest.mark.req("X-134")
@pytest.mark.slow
@settings(deadline=None, max_examples=10)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([2, 40, 130, 300]),
    st.sampled_from([0, 1, 30, 250]),
    st.sampled_from([0, 1, 5, 30, 200]),
    st.booleans(),
)
def test_every_answer_is_brute_forces_whatever_came_and_went(
    seed: int, dims: int, size: int, count: int, is_fast: bool
) -> None:
    corpus, source = Corpus(seed, dims), Vectors(dims)
    source.put(np.arange(size), corpus.vectors(size), corpus.times(size))
    with TemporaryDirectory() as folder:
        nearest = Nearest.open(Path(folder) / "codes", SPACE, dims, source, Tuning(is_fast=is_fast))
        agree(nearest, source, corpus, count)
        fresh = corpus.rng.permutation(size + 40)[:60]
        vectors, times = corpus.vectors(len(fresh)), corpus.times(len(fresh))
        nearest.append(fresh, vectors, times)
        source.put(fresh, vectors, times)
        gone = corpus.rng.permutation(size + 50)[:20]
        nearest.remove(gone)
        source.drop(gone)
        agree(nearest, source, corpus, count)
        nearest.close()
        later = np.arange(size + 100, size + 110)
        source.put(later, corpus.vectors(10), corpus.times(10))
        source.drop(source.rows()[:3])
        again = Nearest.open(Path(folder) / "codes", SPACE, dims, source, Tuning(is_fast=is_fast))
        assert sorted(again.rows.tolist()) == source.rows().tolist()
        agree(again, source, corpus, count)
        again.close()


@pytest.mark.parametrize("seed", range(6))
def test_a_bad_first_guess_changes_no_answer(tmp_path: Path, seed: int) -> None:
    tuning = Tuning(ranking=RankingTuning(seeds=1, seeds_each=1, look=1, few=0, batch=7))
    corpus, source = Corpus(seed, 300), Vectors(300)
    source.put(np.arange(1500), corpus.vectors(1500), corpus.times(1500))
    nearest = Nearest.open(tmp_path / "codes", SPACE, 300, source, tuning)
    now = START_S + 200 * DAY_S
    for query in corpus.rng.standard_normal((4, 300)).astype(np.float32) + corpus.vectors(1)[0]:
        ranked = nearest.exhaustive(query, now, {}, 24)
        assert [(one.row, one.score, one.is_pinned) for one in ranked] == source.ranked(query, now, {}, 24, None)
    nearest.close()


def test_an_old_row_that_is_most_similar_of_all_comes_first(tmp_path: Path) -> None:
    tuning = Tuning(ranking=RankingTuning(seeds=1, seeds_each=1, look=1))
    rng, source = np.random.default_rng(1), Vectors(64)
    query = rng.standard_normal(64)
    near = query + 0.5 * rng.standard_normal((400, 64))
    near[7] = query + 0.2 * rng.standard_normal(64)
    times = np.full(400, START_S)
    times[7] -= 900 * DAY_S
    source.put(np.arange(400), near.astype(np.float32), times)
    nearest = Nearest.open(tmp_path / "codes", SPACE, 64, source, tuning)
    ranked = nearest.exhaustive(query.astype(np.float32), START_S, {}, 5)
    assert ranked[0].row == 7
    assert [one.row for one in ranked] == [
        row for row, _, _ in source.ranked(query.astype(np.float32), START_S, {}, 5, None)
    ]
    nearest.close()


@pytest.mark.parametrize("is_fast", [True, False])
def test_many_rows_need_few_vectors_and_the_answers_are_the_same(tmp_path: Path, is_fast: bool) -> None:
    corpus, source = Corpus(3, 64), Vectors(64)
    source.put(np.arange(6_000), corpus.vectors(6_000), corpus.times(6_000))
    nearest = Nearest.open(tmp_path / "codes", SPACE, 64, source, Tuning(is_fast=is_fast))
    rng = np.random.default_rng(4)
    for query in rng.standard_normal((3, 64)).astype(np.float32):
        now = START_S + 200 * DAY_S
        ranked = nearest.exhaustive(query, now, {}, 24)
        assert nearest.fetched < 1_500
        assert [(one.row, one.score, one.is_pinned) for one in ranked] == source.ranked(query, now, {}, 24, None)
        found, sims = nearest.top(query, 50)
        assert nearest.fetched < 1_500
        assert (found.tolist(), sims.tolist()) == source.nearest(query, 50, None)
    nearest.close()


def test_a_question_without_direction_gets_the_newest(tmp_path: Path) -> None:
    corpus, source = Corpus(5, 40), Vectors(40)
    source.put(np.arange(3000), corpus.vectors(3000), corpus.times(3000))
    nearest = Nearest.open(tmp_path / "codes", SPACE, 40, source)
    for query in (np.zeros(40, np.float32), np.full(40, np.nan, np.float32)):
        ranked = nearest.exhaustive(query, START_S + 200 * DAY_S, {}, 24)
        truth = source.ranked(query, START_S + 200 * DAY_S, {}, 24, None)
        assert [(one.row, one.score, one.is_pinned) for one in ranked] == truth
    nearest.close()


def test_what_does_not_fit_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    nearest = Nearest.open(tmp_path / "codes", SPACE, 4, Vectors(4))
    one = np.array([1])
    with pytest.raises(ValueError, match="do not fit"):
        nearest.append(one, np.zeros((1, 5), np.float32), np.zeros(1))
    with pytest.raises(ValueError, match="not finite"):
        nearest.append(one, np.zeros((1, 4), np.float32), np.array([np.nan]))
    with pytest.raises(ValueError, match="negative"):
        nearest.top(np.zeros(4, np.float32), -1)
    with pytest.raises(ValueError, match="negative"):
        nearest.exhaustive(np.zeros(4, np.float32), 0.0, {}, -1)
    assert not len(nearest.rows)
    nearest.close()


@pytest.mark.parametrize("is_fast", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_with_half_of_the_fine_codes_lost_and_a_look_at_one_at_a_time_the_answers_are_the_same(
    tmp_path: Path, seed: int, is_fast: bool
) -> None:
    one_at_a_time = RankingTuning(seeds=1, seeds_each=1, look=1, few=1, refined=1, batch=1)
    tuning = Tuning(is_fast=is_fast, top=TopTuning(seeds=1, look=1, batch=1), ranking=one_at_a_time)
    corpus, source, path = Corpus(seed, 130), Vectors(130), tmp_path / "codes"
    source.put(np.arange(150), corpus.vectors(150), corpus.times(150))
    Nearest.open(path, SPACE, 130, source).close()
    second = second_path(path)
    second.write_bytes(second.read_bytes()[: second.stat().st_size // 2])
    nearest = Nearest.open(path, SPACE, 130, source, tuning)
    now = START_S + 200 * DAY_S
    for query in corpus.vectors(3):
        for pins in ({}, {7: START_S, 149: START_S + DAY_S}):
            ranked = [(one.row, one.score, one.is_pinned) for one in nearest.exhaustive(query, now, pins, 3)]
            assert ranked == source.ranked(query, now, pins, 3, None)
        rows, sims = nearest.top(query, 5)
        assert (rows.tolist(), sims.tolist()) == source.nearest(query, 5, None)
    nearest.close()


@pytest.mark.parametrize("is_fast", [True, False])
def test_a_row_from_the_far_future_hides_no_other(tmp_path: Path, is_fast: bool) -> None:
    rng, source = np.random.default_rng(1), Vectors(40)
    times = START_S - rng.random(400) * 100 * DAY_S
    times[-1] = START_S + 1600 * DAY_S
    query = rng.standard_normal(40).astype(np.float32)
    source.put(np.arange(400), (query + rng.standard_normal((400, 40))).astype(np.float32), times)
    nearest = Nearest.open(tmp_path / "codes", SPACE, 40, source, Tuning(is_fast=is_fast))
    for now in (START_S, START_S + 900 * DAY_S, START_S - 900 * DAY_S, START_S):
        ranked = [(one.row, one.score, one.is_pinned) for one in nearest.exhaustive(query, now, {}, 5)]
        assert ranked == source.ranked(query, now, {}, 5, None)
    nearest.remove(np.array([7]))
    source.drop(np.array([7]))
    ranked = [(one.row, one.score, one.is_pinned) for one in nearest.exhaustive(query, START_S, {}, 5)]
    assert ranked == source.ranked(query, START_S, {}, 5, None)
    nearest.close()


@pytest.mark.slow
def test_more_may_be_wanted_than_are_kept_while_looking(tmp_path: Path) -> None:
    tuning = Tuning(ranking=RankingTuning(batch=16))
    corpus, source = Corpus(8, 8), Vectors(8)
    source.put(np.arange(300), corpus.vectors(300), corpus.times(300))
    nearest = Nearest.open(tmp_path / "codes", SPACE, 8, source, tuning)
    query, now = corpus.rng.standard_normal(8).astype(np.float32), START_S + 90 * DAY_S
    for count in (63, 64, 65, 100, 250):
        ranked = [(one.row, one.score, one.is_pinned) for one in nearest.exhaustive(query, now, {}, count)]
        assert ranked == source.ranked(query, now, {}, count, None)
    nearest.close()


@pytest.mark.parametrize("seed", range(4))
def test_rows_later_than_now_are_all_equally_new(tmp_path: Path, seed: int) -> None:
    tuning = Tuning(ranking=RankingTuning(seeds=1, seeds_each=1))
    corpus, source = Corpus(seed, 40), Vectors(40)
    source.put(np.arange(400), corpus.vectors(400), START_S + corpus.rng.random(400) * DAY_S)
    nearest = Nearest.open(tmp_path / "codes", SPACE, 40, source, tuning)
    query = np.zeros(40, np.float32)
    ranked = [(one.row, one.score, one.is_pinned) for one in nearest.exhaustive(query, START_S, {}, 24)]
    assert ranked == source.ranked(query, START_S, {}, 24, None)
    nearest.close()
