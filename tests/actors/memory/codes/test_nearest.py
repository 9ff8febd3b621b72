"""Search over codes: the same answers as brute force, for every question."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.memory.codes.file import second_path
from actors.memory.codes.nearest import Allowed, Nearest
from actors.memory.codes.tuning import TopTuning, Tuning
from tests.actors.memory.vectors import Corpus, Vectors

SPACE = "model/1"


def agree(nearest: Nearest, source: Vectors, corpus: Corpus, count: int) -> None:
    """Ask some questions; every answer must be the truth."""
    rows = source.rows()
    allowed = set(rows[corpus.rng.random(len(rows)) < 0.5].tolist()) | {-5}
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


@pytest.mark.parametrize("is_fast", [True, False])
def test_many_rows_need_few_vectors_and_the_answers_are_the_same(tmp_path: Path, is_fast: bool) -> None:
    corpus, source = Corpus(3, 64), Vectors(64)
    source.put(np.arange(6_000), corpus.vectors(6_000), corpus.times(6_000))
    nearest = Nearest.open(tmp_path / "codes", SPACE, 64, source, Tuning(is_fast=is_fast))
    rng = np.random.default_rng(4)
    for query in rng.standard_normal((3, 64)).astype(np.float32):
        found, sims = nearest.top(query, 50)
        assert nearest.fetched < 1_500
        assert (found.tolist(), sims.tolist()) == source.nearest(query, 50, None)
    nearest.close()


def test_a_question_without_direction_gets_the_newest(tmp_path: Path) -> None:
    corpus, source = Corpus(5, 40), Vectors(40)
    source.put(np.arange(3000), corpus.vectors(3000), corpus.times(3000))
    nearest = Nearest.open(tmp_path / "codes", SPACE, 40, source)
    for query in (np.zeros(40, np.float32), np.full(40, np.nan, np.float32)):
        rows, sims = nearest.top(query, 24)
        assert (rows.tolist(), sims.tolist()) == source.nearest(query, 24, None)
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
    assert not len(nearest.rows)
    nearest.close()


@pytest.mark.parametrize("is_fast", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_with_half_of_the_fine_codes_lost_and_a_look_at_one_at_a_time_the_answers_are_the_same(
    tmp_path: Path, seed: int, is_fast: bool
) -> None:
    tuning = Tuning(is_fast=is_fast, top=TopTuning(seeds=1, look=1, batch=1))
    corpus, source, path = Corpus(seed, 130), Vectors(130), tmp_path / "codes"
    source.put(np.arange(150), corpus.vectors(150), corpus.times(150))
    Nearest.open(path, SPACE, 130, source).close()
    second = second_path(path)
    second.write_bytes(second.read_bytes()[: second.stat().st_size // 2])
    nearest = Nearest.open(path, SPACE, 130, source, tuning)
    for query in corpus.vectors(3):
        rows, sims = nearest.top(query, 5)
        assert (rows.tolist(), sims.tolist()) == source.nearest(query, 5, None)
    nearest.close()


@pytest.mark.req("X-249")
def test_codes_of_rows_that_are_gone_are_written_over_and_all_others_are_found(tmp_path: Path) -> None:
    corpus, source, path = Corpus(1, 40), Vectors(40), tmp_path / "codes"
    source.put(np.arange(50), corpus.vectors(50), corpus.times(50))
    nearest = Nearest.open(path, SPACE, 40, source)
    before = [each.stat().st_size for each in (path, second_path(path))]
    rows = np.array([50])
    source.put(rows, corpus.vectors(1), corpus.times(1))
    nearest.append(rows, source.fetch(rows), source.times(rows))
    added = [each.read_bytes()[size:] for each, size in zip((path, second_path(path)), before, strict=True)]
    nearest.remove(rows)
    source.drop(rows)
    assert all(data in each.read_bytes() for each, data in zip((path, second_path(path)), added, strict=True))

    nearest.erase_gone()

    for each, data in zip((path, second_path(path)), added, strict=True):
        assert data not in each.read_bytes()
        place = each.stat().st_size - 2 * len(data)
        assert not any(each.read_bytes()[place + 16 : place + len(data) - 4]), "codes, behind the row and the time"
    agree(nearest, source, corpus, 5)
    nearest.close()
    again = Nearest.open(path, SPACE, 40, source)
    assert sorted(again.rows.tolist()) == list(range(50))
    agree(again, source, corpus, 5)
    again.close()
