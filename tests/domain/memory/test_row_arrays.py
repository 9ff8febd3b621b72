from __future__ import annotations

import numpy as np

from domain.memory.row_arrays import grown, with_room


def test_a_longer_array_has_zeros_behind_and_a_fitting_one_is_the_same() -> None:
    array = np.array([[1, 2], [3, 4]], np.int32)
    longer = grown(array, 4)
    assert longer.tolist() == [[1, 2], [3, 4], [0, 0], [0, 0]]
    assert longer.dtype == np.int32
    assert with_room(array, 1) is array
    assert len(with_room(array, 2)) == 4
    assert len(with_room(array, 9)) == 10
    assert with_room(array, -1) is array
