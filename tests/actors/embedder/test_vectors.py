from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.embedder.vectors import packed


@given(st.lists(st.floats(-1e30, 1e30) | st.integers(-(10**6), 10**6), min_size=4, max_size=4))
def test_what_is_packed_has_unit_length_and_the_same_direction(values: list[float]) -> None:
    vector = np.frombuffer(packed(values, 4), "<f4")

    if max(map(abs, values)) < 1e-12:
        assert vector.size == 0
    else:
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
        assert np.allclose(vector, np.array(values) / math.hypot(*values), atol=1e-6)


@pytest.mark.parametrize(
    "values",
    [
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
    ],
    ids=repr,
)
def test_what_is_no_vector_is_empty(values: object) -> None:
    assert packed(values, 4) == b""
