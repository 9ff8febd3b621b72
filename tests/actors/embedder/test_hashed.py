from __future__ import annotations

from hashlib import blake2b

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from actors.embedder import hashed


def similarity(one: str, other: str) -> float:
    first, second = hashed.embed([one, other])
    return float(first @ second)


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=80), max_size=5), st.sampled_from([8, 384]))
def test_every_text_has_a_vector_of_unit_length_and_always_the_same(texts: list[str], dimensions: int) -> None:
    vectors = hashed.embed(texts, dimensions)

    assert vectors.shape == (len(texts), dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors, hashed.embed(texts, dimensions))


def test_the_space_is_what_it_was() -> None:
    vectors = hashed.embed(["Alice's birthday is on the 14th of March.", "The cameras were failing, sadly!"])

    digest = blake2b(np.round(vectors * 10_000).astype("<i4").tobytes(), digest_size=8).hexdigest()
    assert digest == "c55ae7f7e095ba75", (
        "vectors are stored by the name hashed-words-v1: whoever changes them changes the name"
    )


def test_words_in_common_bring_texts_together() -> None:
    assert similarity("the camera was stolen in Lisbon", "where was the camera stolen?") > 0.5
    assert abs(similarity("the camera was stolen in Lisbon", "interest rates are rising")) < 0.2


def test_case_endings_and_common_words_matter_little() -> None:
    assert similarity("The cameras failed", "camera failing") > 0.99


def test_the_order_of_words_counts_a_little() -> None:
    assert 0.5 < similarity("dog bites man", "man bites dog") < 0.99
