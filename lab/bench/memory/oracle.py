"""The truth about the nearest rows: every vector, in float32 first, and exactly for possible candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from domain.memory import ranking

_ROUNDING = 1e-4
"""More than the float32 cosine of a row can be wrong."""
_BLOCK = 20_000


def nearest_lists(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    times: NDArray[np.float64],
    queries: NDArray[np.float32],
    count: int,
) -> list[list[int]]:
    """For each query the `count` rows with the greatest cosines; equals: the newer, then the lower row.

    Args:
        vectors: (rows, dims), float32; may be mapped.
    """
    units = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    promising: list[list[NDArray[np.int64]]] = [[] for _ in queries]
    for begin in range(0, len(rows), _BLOCK):
        block = np.asarray(vectors[begin : begin + _BLOCK])
        for known, guesses in zip(promising, units @ block.T / np.linalg.norm(block, axis=1), strict=True):
            least = len(guesses) - min(count, len(guesses))
            known.append(begin + np.flatnonzero(guesses >= np.partition(guesses, least)[least] - 2 * _ROUNDING))
    lists = []
    for query, known in zip(queries, promising, strict=True):
        places = np.concatenate(known)
        cosines = ranking.cosines(np.asarray(vectors[places]), query)
        order = np.lexsort((rows[places], -times[places], -cosines))[:count]
        lists.append([int(row) for row in rows[places[order]]])
    return lists
