from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from actors.memory.codes.directory import RowDirectory


@given(
    st.lists(st.lists(st.integers(-3, 40), max_size=12), max_size=8),
    st.lists(st.integers(-5, 45), max_size=10),
    st.sampled_from([0, 5, 1_000]),
)
def test_the_last_slot_of_each_row_is_found_in_any_order(
    parts: list[list[int]], keys: list[int], most_late: int
) -> None:
    directory, rows = RowDirectory(most_late), np.empty(0, np.int64)
    last: dict[int, int] = {}
    for part in [[], *parts, []]:
        last |= {row: len(rows) + place for place, row in enumerate(part)}
        rows = np.concatenate([rows, np.array(part, np.int64)])
        directory.extend(rows)
        slots = directory.slots(np.array(keys, np.int64), rows)
        assert slots.tolist() == [last.get(key, -1) for key in keys]
