"""Compact codes: what they say is never further from the truth than they claim."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from domain import vector_codes
from domain.ranking import cosines

Matrix = NDArray[np.float32]
SIZES = (1, 2, 17, 112, 113, 130, 287, 288, 300)


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


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SIZES), st.sampled_from([0, 1, 5, 400]))
def test_no_cosine_is_further_from_its_estimates_than_they_say(seed: int, size: int, sample: int) -> None:
    rng = np.random.default_rng(seed)
    frame = vector_codes.fit_frame(vectors_like_a_corpus(rng, sample, size), size)
    vectors = np.concatenate([vectors_like_a_corpus(rng, 40, size), hard_vectors(rng, size)])
    codes = vector_codes.encode(frame, vectors)
    for query in (vectors[3], hard_vectors(rng, size)[int(rng.integers(20))]):
        truth = cosines(vectors, query)
        asked = vector_codes.asked(frame, query)
        if not asked.has_direction:
            assert not truth.any()
            continue
        by_head = vector_codes.head_products(codes.head, asked) * asked.head_step
        assert (np.abs(truth - by_head) <= vector_codes.head_errors(codes.lengths, asked)).all()
        by_both = by_head + vector_codes.middle_products(codes.middle, asked.middle)
        assert (np.abs(truth - by_both) <= vector_codes.middle_errors(codes.lengths, asked)).all()
        errors = vector_codes.decoded_errors(codes) @ asked.weights + vector_codes.MARGIN
        assert (np.abs(truth - vector_codes.decode(frame, codes) @ asked.target) <= errors).all()
        assert (np.abs(truth - vector_codes.decoded_products(frame, codes, asked.target)) <= errors).all()


def test_codes_of_a_corpus_are_tight() -> None:
    rng = np.random.default_rng(1)
    vectors = vectors_like_a_corpus(rng, 4000, 384)
    frame = vector_codes.fit_frame(vectors, 384)
    codes = vector_codes.encode(frame, vectors)
    asked = vector_codes.asked(frame, vectors[0])
    assert vector_codes.head_errors(codes.lengths, asked).mean() < 0.05
    assert (vector_codes.decoded_errors(codes) @ asked.weights).mean() < 0.02


def test_the_frame_keeps_every_length() -> None:
    rng = np.random.default_rng(2)
    frame = vector_codes.fit_frame(vectors_like_a_corpus(rng, 50, 130), 130)
    assert frame.basis.T @ frame.basis == pytest.approx(np.eye(130), abs=1e-5)


def test_a_head_is_padded_to_whole_words_of_the_fast_product() -> None:
    frame = vector_codes.fit_frame(np.zeros((0, 17), np.float32), 17)
    codes = vector_codes.encode(frame, np.ones((2, 17), np.float32))
    assert codes.head.shape == (2, 32)
    assert not codes.head[:, 17:].any()
    assert codes.middle.shape == (2, 0)


def test_what_is_decoded_is_near_what_was_encoded() -> None:
    rng = np.random.default_rng(3)
    vectors = vectors_like_a_corpus(rng, 1000, 300)
    frame = vector_codes.fit_frame(vectors, 300)
    decoded = vector_codes.decode(frame, vector_codes.encode(frame, vectors[:9])) @ frame.basis.T
    assert decoded == pytest.approx(vector_codes.unit(vectors[:9]), abs=0.02)
