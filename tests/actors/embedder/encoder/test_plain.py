"""The layers in numpy; that their vectors are right is shown by test_local.py."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.embedder.encoder.plain import Floats, _double_gelu


@settings(max_examples=20)
@given(st.lists(st.floats(-40, 40, width=32), min_size=1, max_size=300))
def test_gelu_is_the_exact_one_to_five_digits(numbers: list[float]) -> None:
    doubled: Floats = np.array(numbers, np.float32)
    _double_gelu(doubled)

    exact = [x * math.erfc(-x / math.sqrt(2)) for x in numbers]
    assert np.allclose(doubled, exact, atol=1e-5, rtol=1e-6)
