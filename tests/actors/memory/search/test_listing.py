"""All rows in order, in pieces of any size."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from actors.memory.index.index import Index
from actors.memory.search.listing import rows_in_order
from tests.actors.memory.search.test_order import NOW, WINDOWS, remembered_turn


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """An index of three windows with turns at all times, some of one moment."""
    dice = random.Random(7)
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    for number in range(40):
        index.remember(window := dice.choice(WINDOWS), [remembered_turn(window, number, dice.randint(0, 9))])
    return index


@pytest.mark.parametrize("piece", [1, 2, 7, 39, 40, 41, 1000])
def test_every_row_comes_once_by_window_and_time(index: Index, piece: int) -> None:
    pieces = list(rows_in_order(index.connection, piece))

    expected = list(index.connection.execute("SELECT window, id FROM turns ORDER BY window, timestamp, id"))
    assert [len(rows) for _, rows in pieces[:-1]] == [piece] * (len(pieces) - 1)
    windows, rows = (np.concatenate(each).tolist() for each in zip(*pieces, strict=True))
    assert list(zip(windows, rows, strict=True)) == expected
    index.close()


def test_an_index_without_rows_has_no_pieces(tmp_path: Path) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", datetime(2026, 5, 1, tzinfo=UTC))
    assert list(rows_in_order(index.connection)) == []
    index.close()


@pytest.mark.parametrize("number", ["'none'", "1.5"])
def test_a_window_that_is_no_whole_number_is_refused(index: Index, number: str) -> None:
    list(index.connection.execute("PRAGMA foreign_keys = off"))
    list(index.connection.execute(f"UPDATE turns SET window = {number} WHERE id = 5"))
    with pytest.raises(ValueError, match=r"no whole number|unmatched data"):
        list(rows_in_order(index.connection))
    index.close()


def test_the_work_grows_no_faster_than_a_window(tmp_path: Path) -> None:
    """SQLite seeks to the begin of a piece only by values: a subquery there made it a walk through the window."""
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    steps: list[int] = []

    def take_step() -> bool:
        steps[-1] += 1
        return False

    for count in (500, 1000):
        index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in range(count)])
        steps.append(0)
        index.connection.set_progress_handler(take_step, 10)
        assert sum(len(rows) for _, rows in rows_in_order(index.connection, 10)) == count
        index.connection.set_progress_handler(None)
    assert steps[1] < 2.5 * steps[0]
    index.close()
