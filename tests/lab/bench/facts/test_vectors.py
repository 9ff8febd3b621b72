from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from lab.bench.facts.vectors import DIMENSIONS, answer, vector
from lab.bench.facts.words import fact, question


def test_a_question_is_nearest_to_the_fact_that_it_is_about() -> None:
    facts = np.stack([vector(fact("kept", number)) for number in range(200)])
    for fact_number in (3, 77, 150):
        assert int(np.argmax(facts @ vector(question("kept", fact_number)))) == fact_number


def test_vectors_have_unit_length_whatever_the_text() -> None:
    assert [float(np.linalg.norm(vector(text))) for text in ("some words", "", "!?")] == pytest.approx(
        [1, 1, 1], abs=1e-5
    )


def test_the_answer_has_the_vectors_in_order_as_numbers_or_in_base64() -> None:
    texts = ["one", "two"]
    plain = json.loads(answer(texts, is_base64=False))
    packed = json.loads(answer(texts, is_base64=True))
    for place, text in enumerate(texts):
        assert plain["data"][place]["index"] == packed["data"][place]["index"] == place
        assert np.allclose(plain["data"][place]["embedding"], vector(text), atol=1e-6)
        assert np.array_equal(np.frombuffer(base64.b64decode(packed["data"][place]["embedding"]), "<f4"), vector(text))
    assert len(plain["data"][0]["embedding"]) == DIMENSIONS
