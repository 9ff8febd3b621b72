"""Compact codes: what they say is never further from the truth than they claim."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from domain.memory import vector_codes
from domain.memory.ranking import cosines
from domain.memory.vector_codes import Codes, Frame

Matrix = NDArray[np.float32]
SIZES = (1, 2, 17, 64, 65, 66, 67, 96, 104, 130, 300)


def vectors_like_a_corpus(rng: np.random.Generator, count: int, size: int) -> Matrix:
    falling = 1.0 / np.arange(1, size + 1)
    return (rng.standard_normal((count, size)) * falling).astype(np.float32)


def hard_vectors(rng: np.random.Generator, size: int) -> Matrix:
    """Vectors that the frame was not made for, among them some without direction."""
    axes = np.eye(size, dtype=np.float32)[rng.integers(0, size, 5)]
    odd = np.stack(
        [np.zeros(size), np.full(size, np.nan), np.full(size, np.inf), np.full(size, 1e-30), np.full(size, 3e38)]
    )
    return np.concatenate([axes, -axes, rng.standard_normal((5, size)), odd]).astype(np.float32)


def decoded_of(frame: Frame, codes: Codes) -> Matrix:
    return vector_codes.decode_vectors(frame, codes.head, codes.fine, codes.fine_factors)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SIZES), st.sampled_from([0, 1, 5, 400]))
def test_no_cosine_is_further_from_its_estimates_than_they_say(seed: int, size: int, sample: int) -> None:
    rng = np.random.default_rng(seed)
    frame = vector_codes.fit_frame([vectors_like_a_corpus(rng, sample, size)], size, rng)
    vectors = np.concatenate([vectors_like_a_corpus(rng, 40, size), hard_vectors(rng, size)])
    codes = vector_codes.encode(frame, vectors)
    decoded = decoded_of(frame, codes)
    for query in (vectors[3], hard_vectors(rng, size)[int(rng.integers(20))]):
        truth = cosines(vectors, query)
        framed = vector_codes.frame_query(frame, query)
        if not framed.has_direction:
            assert not truth.any()
            continue
        coarse = vector_codes.coarse_products(frame, codes.head, codes.signs.T, codes.factors, framed)
        assert (np.abs(truth - coarse) <= vector_codes.coarse_errors(codes.errors, framed)).all()
        fine = decoded @ framed.turned
        assert (np.abs(truth - fine) <= vector_codes.fine_errors(codes.fine_errors, framed)).all()


def test_codes_of_a_corpus_are_tight() -> None:
    rng = np.random.default_rng(1)
    vectors = vectors_like_a_corpus(rng, 4000, 384)
    frame = vector_codes.fit_frame([vectors], 384, rng)
    codes = vector_codes.encode(frame, vectors)
    framed = vector_codes.frame_query(frame, vectors[0])
    assert vector_codes.coarse_errors(codes.errors, framed).mean() < 0.03
    assert vector_codes.fine_errors(codes.fine_errors, framed).mean() < 0.02


def test_fine_codes_are_much_tighter_than_signs_where_the_tail_is_long() -> None:
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((500, 768)).astype(np.float32)
    frame = vector_codes.fit_frame([vectors], 768, rng)
    codes = vector_codes.encode(frame, vectors)
    framed = vector_codes.frame_query(frame, vectors[0])
    coarse, fine = vector_codes.coarse_errors(codes.errors, framed), vector_codes.fine_errors(codes.fine_errors, framed)
    assert 0.1 < coarse.mean() < 0.3
    assert fine.mean() < coarse.mean() / 4


def test_a_tail_of_a_few_directions_is_bounded_by_its_length() -> None:
    frame = vector_codes.fit_frame([np.zeros((0, 98), np.float32)], 98, np.random.default_rng(5))
    assert frame.reach == 1.0
    codes = vector_codes.encode(frame, np.eye(98, dtype=np.float32))
    assert (vector_codes.widen_errors(codes.errors)[:, 1] <= 1.01).all()


@pytest.mark.parametrize("sample", [0, 1, 50])
def test_the_frame_keeps_every_length(sample: int) -> None:
    rng = np.random.default_rng(2)
    frame = vector_codes.fit_frame([vectors_like_a_corpus(rng, sample, 130)], 130, rng)
    assert frame.basis.T @ frame.basis == pytest.approx(np.eye(130), abs=1e-5)


def test_codes_fill_whole_words() -> None:
    dims = vector_codes.HEAD + 9
    frame = vector_codes.fit_frame(np.zeros((0, dims), np.float32), dims, np.random.default_rng(6))
    codes = vector_codes.encode(frame, np.ones((2, dims), np.float32))
    assert codes.head.shape == (2, vector_codes.HEAD)
    assert codes.signs.shape == (2, 2)
    assert codes.fine.shape == (2, 5)


def test_every_turn_is_another_one() -> None:
    bases = [vector_codes.fit_frame(np.zeros((0, 120), np.float32), 120, np.random.default_rng()).basis for _ in "ab"]
    assert np.abs(bases[0] - bases[1]).max() > 0.1


def test_what_is_decoded_is_near_what_was_encoded() -> None:
    rng = np.random.default_rng(3)
    vectors = vectors_like_a_corpus(rng, 1000, 300)
    frame = vector_codes.fit_frame([vectors], 300, rng)
    decoded = decoded_of(frame, vector_codes.encode(frame, vectors[:9])) @ frame.basis.T
    assert decoded == pytest.approx(vector_codes.unit(vectors[:9]), abs=0.02)
