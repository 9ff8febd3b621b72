"""All rows of an index and their windows as arrays, in the order of each window's turns."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import numpy as np
from numpy.typing import NDArray

PIECE = 16_384
"""Rows read at once."""
# Texts of numbers, as rows made into objects take four times as long. A statement for each window took 50 us of it,
# 7 s for 100,000 windows.
_PIECE = """
SELECT count(*), group_concat(window), group_concat(id) FROM (
  SELECT window, id FROM turns
  WHERE (window, timestamp, id) > (?, ?, ?) ORDER BY window, timestamp, id LIMIT ?)
"""


def rows_in_order(
    connection: apsw.Connection, piece: int = PIECE
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Windows and rows of the next `piece` turns, by window, then by time.

    Raises:
        ValueError: a row or its window is no whole number, which no agent stores.
    """
    window = time = row = 0
    while True:
        # Values, as a subquery for the time would have SQLite look at the whole window for each piece.
        ((count, windows, rows),) = connection.execute(_PIECE, (window, time, row, piece))
        if not count:
            return
        numbers = [np.fromstring(str(text), np.int64, sep=",") for text in (windows, rows)]
        if any(len(each) != count for each in numbers):  # numpy itself raises, from 2.4 on
            raise ValueError(f"a turn behind row {row} has a row or a window that is no whole number")
        window, row = (int(each[-1]) for each in numbers)
        ((time,),) = connection.execute("SELECT timestamp FROM turns WHERE id = ?", (row,))
        yield numbers[0], numbers[1]
