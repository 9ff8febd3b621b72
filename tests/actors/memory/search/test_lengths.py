"""Word counts of rows after any changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from actors.memory.index.index import Index
from actors.memory.search.lengths import Lengths
from domain.memory.hybrid_text import keyword_text
from domain.memory.keywords import words
from tests.actors.memory.search.test_order import NOW
from tests.actors.memory.search.test_vocabulary import store

COUNTS = [1, 3, 120, 127, 128, 129, 300, 2, 16_380, 20_000, 5]


def test_lengths_are_those_that_the_keyword_index_counted_at_once_or_one_by_one(
    tmp_path: Path,
) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    followed = Lengths(index.connection, part=3)
    assert followed.rows == 0
    texts = ["w " * count for count in COUNTS]
    for number, text in enumerate(texts):
        followed.add([store(index, number, text)])
    anew = Lengths(index.connection, part=3)
    expected = [len(words(keyword_text("Ada", NOW, text))) for text in texts]
    every = np.arange(1, len(texts) + 1)
    for known in (followed, anew):
        assert known.of(every).tolist() == expected
        assert known.rows == len(texts)
        assert known.mean == pytest.approx(sum(expected) / len(texts))
    index.close()


def test_a_row_that_is_gone_counts_no_more_and_one_that_is_told_twice_counts_once(tmp_path: Path) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    known = Lengths(index.connection)
    rows = [store(index, number, "w " * number) for number in range(1, 6)]
    before = known.of(np.array(rows))
    known.add(rows)
    assert (known.rows, known.mean) == (5, before.mean())
    index.forget(rows[:2])
    for row in (*rows[:2], rows[0], 999):
        known.drop(row)
    assert (known.rows, known.mean) == (3, before[2:].mean())
    assert known.of(np.array([*rows, 999])).tolist() == [0, 0, *before[2:].tolist(), 0]
    index.close()
