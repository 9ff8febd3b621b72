"""Episodes are the same as if all turns had come in order, whatever is put in or taken out, and cheaply so."""

from __future__ import annotations

import random
from collections.abc import Sequence

import apsw
import pytest

from actors.memory.index.episodes import Episodes
from actors.memory.index.session import IndexSession
from domain.memory.hybrid import EPISODE_GAP

GAP_MS = int(EPISODE_GAP.total_seconds() * 1000)
WINDOW = 1


class Turns:
    """Turns of windows in a table with the columns that episodes need."""

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")
        self.connection.execute(
            "CREATE TABLE turns(id INTEGER PRIMARY KEY, window INTEGER, timestamp INTEGER, sitting INTEGER);"
            "CREATE INDEX turns_in_order ON turns(window, timestamp, id)"
        )
        self.episodes = Episodes(IndexSession(self.connection))
        self.next_row = 1
        self.renamed = 0
        """Rows whose episode was changed."""
        self.connection.set_update_hook(self._count)

    def insert(self, moments: Sequence[int], window: int = WINDOW) -> None:
        """Put turns in, anywhere."""
        moments = sorted(moments)
        names = self.episodes.insert(window, self.next_row, moments)
        for row, (at, name) in enumerate(zip(moments, names, strict=True), self.next_row):
            self.connection.execute("INSERT INTO turns VALUES (?, ?, ?, ?)", (row, window, at, name))
        self.next_row += len(moments)

    def drop(self, row: int) -> None:
        """Take a turn out."""
        self.episodes.leave(row)
        self.connection.execute("DELETE FROM turns WHERE id = ?", (row,))

    def rows(self) -> list[int]:
        return [row for (row,) in self.connection.execute("SELECT id FROM turns")]

    def are_right(self) -> bool:
        """True if two neighbours of a window have one name exactly if no gap is between them, and no two windows share one."""
        names: list[object] = []
        before = (0, 0)
        for window, at, name in self.connection.execute(
            "SELECT window, timestamp, sitting FROM turns ORDER BY window, timestamp, id"
        ):
            if not names or window != before[0] or at - before[1] > GAP_MS:
                names.append(name)
            elif names[-1] != name:
                return False
            before = (window, at)
        return len(set(names)) == len(names)

    def _count(self, kind: int, *_: object) -> None:
        self.renamed += kind == apsw.SQLITE_UPDATE


@pytest.mark.parametrize("seed", range(40))
def test_episodes_are_those_of_the_order_in_time(seed: int) -> None:
    chance, turns = random.Random(seed), Turns()
    span = GAP_MS * chance.choice((3, 30, 300))
    for _ in range(60):
        if chance.random() < 0.3 and (rows := turns.rows()):
            turns.drop(chance.choice(rows))
        else:
            count = chance.choice((1, 1, 2, 9))
            turns.insert(
                [chance.randrange(span // GAP_MS * 4) * GAP_MS // 4 for _ in range(count)], chance.choice((1, 2))
            )
        assert turns.are_right()


def test_an_old_page_of_a_long_episode_renames_none_of_its_turns() -> None:
    turns = Turns()
    pages = [range(start, start + 100) for start in range(0, 10_000, 100)]
    for page in reversed(pages):
        turns.insert(page)
    assert turns.are_right()
    assert turns.renamed == 0


def test_of_two_episodes_that_become_one_the_smaller_is_renamed() -> None:
    turns = Turns()
    turns.insert(range(1_000))
    turns.insert(range(2 * GAP_MS, 2 * GAP_MS + 100))
    turns.insert([GAP_MS])
    assert turns.are_right()
    assert turns.renamed == 100
