from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.embedder.vectors import NO_VECTOR, dimensions_of, of_size, pack_vector


@given(st.lists(st.floats(-1e30, 1e30) | st.integers(-(10**6), 10**6), min_size=4, max_size=4))
def test_what_is_packed_has_unit_length_and_the_same_direction(values: list[float]) -> None:
    vector = np.frombuffer(pack_vector(values, 4), "<f4")

    if max(map(abs, values)) < 1e-12:
        assert vector.size == 0
    else:
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
        assert np.allclose(vector, np.array(values) / math.hypot(*values), atol=1e-6)


def test_what_is_no_vector_is_empty(subtests: pytest.Subtests) -> None:
    cases: list[object] = [
        None,
        "abcd",
        b"abcd",
        {},
        1.0,
        [],
        [1.0, 2.0, 3.0],
        [1.0, 2.0, 3.0, 4.0, 5.0],
        [math.nan, 1.0, 1.0, 1.0],
        [math.inf, 1.0, 1.0, 1.0],
        [0.0, 0.0, 0.0, 0.0],
        ["1", "2", "3", "4"],
        [None, 1.0, 1.0, 1.0],
        [True, True, False, False],
        [[1.0], [2.0], [3.0], [4.0]],
        [[1.0], 2.0, 3.0, 4.0],
        [10**400, 1, 1, 1],
        [1e308, 1e308, 1e308, 1e308],
    ]
    for values in cases:
        with subtests.test(values=values):
            assert pack_vector(values, 4) == b""


def test_the_commonest_size_counts_and_of_as_many_the_first() -> None:
    two, three = b"\0" * 8, b"\0" * 12

    assert dimensions_of([NO_VECTOR, three, two, two]) == 2
    assert dimensions_of([three, two]) == 3
    assert dimensions_of([NO_VECTOR, None]) == 0
    assert of_size([two, three, NO_VECTOR], 3) == (NO_VECTOR, three, NO_VECTOR)


def test_where_any_size_will_do_what_is_no_vector_is_none_still(subtests: pytest.Subtests) -> None:
    for values in [[], [[1.0]], np.array([]), np.array([[1.0, 2.0]])]:
        with subtests.test(values=values):
            assert pack_vector(values, 0) == NO_VECTOR


def test_where_any_size_will_do_every_size_is_taken() -> None:
    assert [len(pack_vector([1.0] * size, 0)) for size in (1, 7, 1536)] == [4, 28, 6144]
