"""Brute-force nearest rows, for when there are no codes: sqlite-vec's distances over every vector, slow and right."""

from __future__ import annotations

import apsw
import numpy as np
from numpy.typing import NDArray

from actors.memory.index.vectors import IndexVectors
from actors.memory.search.visibility import Mask
from domain.memory import ranking

_MORE = 32
"""Rows compared exactly beyond the number wanted: a distance is right to some millionths only."""
_EVERY = np.dtype([("row", np.int64), ("distance", np.float64)])
_DISTANCES = """
SELECT turns.id, coalesce(vec_distance_cosine(vectors.embedding, ?), 1.0)
FROM turns JOIN vectors ON vectors.id = turns.vector
"""


def nearest(
    connection: apsw.Connection, vectors: IndexVectors, query: NDArray[np.float32], count: int, mask: Mask
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The `count` allowed rows with the greatest cosines, and the cosines; equals: the newer first."""
    query_bytes = query.astype("<f4").tobytes()
    every = np.fromiter(connection.execute(_DISTANCES, (query_bytes,)), _EVERY)
    every = every[every["row"] < len(mask)]
    every = every[mask[every["row"]]]
    most = min(count + _MORE, len(every))
    rows = every["row"][np.argpartition(every["distance"], most - 1)[:most]] if most else every["row"]
    cosines = ranking.cosines(vectors.fetch(rows), query)
    order = np.lexsort((rows, -vectors.times(rows), -cosines))[:count]
    return rows[order], cosines[order]
