"""Growth of arrays that are indexed by row number."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Kind = TypeVar("_Kind", bound=np.generic)


def with_room(array: NDArray[_Kind], row: int) -> NDArray[_Kind]:
    """`array` if `row` is an index of it, else a longer copy with zeros behind."""
    return array if row < len(array) else grown(array, max(row + 1, 2 * len(array)))


def grown(array: NDArray[_Kind], length: int) -> NDArray[_Kind]:
    """Copy of `array` with zeros behind, up to `length`.

    Zeros that are not written take no memory, in large arrays: the system gives a page when something is written to it.
    """
    longer = np.zeros((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
