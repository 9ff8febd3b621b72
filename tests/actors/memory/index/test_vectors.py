"""Which vector is whose, whatever came and went before."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import numpy as np
import pytest
from msgspec.structs import replace

from actors.memory.index import database
from actors.memory.index.index import Index
from actors.memory.index.pending import Waiting
from actors.memory.index.seal import AlteredIndexError
from actors.memory.index.vectors import IndexVectors
from domain.memory.remembered import Remembered
from tests.actors.memory.search.test_order import NOW, WINDOWS, remembered_turn

DIMS = 4


def open_index(root: Path, space: str = "test") -> Index:
    index, _ = Index.open(root / "index.sqlite", NOW)
    index.use_space(space, DIMS)
    return index


def vector_of(text: str, space: str = "test") -> bytes:
    """Another one for every text."""
    drawn = np.random.default_rng(list(f"{space} {text}".encode())).standard_normal(DIMS)
    return drawn.astype("<f4").tobytes()


def embed(index: Index, turns: list[Waiting], space: str = "test") -> list[int]:
    return index.pending.store([(turn, vector_of(turn.text, space)) for turn in turns])


def told_by_sql(index: Index, space: str = "test") -> dict[int, bytes]:
    """Row -> vector of a space, by the hash that names its text."""
    listed = index.connection.execute(
        "SELECT turns.id, embedding FROM turns JOIN vectors ON vectors.hash = turns.hash "
        "JOIN spaces ON spaces.id = vectors.space WHERE spaces.name = ?",
        (space,),
    )
    return {int(str(row)): bytes(vector) for row, vector in listed if isinstance(vector, bytes)}


def as_source(index: Index) -> IndexVectors:
    return IndexVectors(index.connection, index.space, DIMS)


def agree(vectors: IndexVectors, truth: dict[int, bytes], last: int) -> None:
    """True if every answer of `vectors` agrees with `truth`."""
    every = np.random.default_rng(last).permutation(np.arange(1, last + 3))
    expected = [truth.get(row, bytes(4 * DIMS)) for row in every.tolist()]
    assert [one.tobytes() for one in vectors.fetch(every)] == expected
    assert vectors.ready(every).tolist() == sorted(truth)
    assert vectors.rows().tolist() == sorted(truth)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_came_and_went_each_row_has_the_vector_of_its_text(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    index = open_index(tmp_path)
    vectors = as_source(index)
    number, alive = 0, set[int]()
    for _ in range(30):
        entries: list[Remembered] = []
        for _ in range(dice.randint(1, 5)):
            number += 1
            entries.append(replace(remembered_turn(WINDOWS[0], number, 1), text=f"one of few: {dice.randint(0, 9)}"))
        alive.update(index.remember(WINDOWS[0], entries)[0])
        due = index.pending.due(NOW, 100)
        gone = dice.sample(sorted(alive), min(len(alive), dice.randint(0, 2)))
        index.forget(gone)
        vectors.forget(np.array(gone, np.int64))
        alive -= set(gone)
        embed(index, dice.sample(due, dice.randint(0, len(due))))
        has_one = {
            row for (row,) in index.connection.execute("SELECT id FROM turns WHERE status = 'ok' AND vector NOT NULL")
        }
        agree(vectors, {row: one for row, one in told_by_sql(index).items() if row in has_one}, number)
        agree(as_source(index), {row: one for row, one in told_by_sql(index).items() if row in has_one}, number)
    index.close()


@pytest.mark.req("X-136")
def test_another_model_has_its_own_vectors_and_the_first_ones_come_back(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in range(6)])
    embed(index, index.pending.due(NOW, 4))
    assert index.use_space("another", DIMS)
    agree(as_source(index), {}, 6)
    embed(index, index.pending.due(NOW, 2), "another")
    agree(as_source(index), told_by_sql(index, "another"), 6)
    assert len(told_by_sql(index, "another")) == 2

    assert index.use_space("test", DIMS)
    agree(as_source(index), told_by_sql(index), 6)
    assert index.counts().ok == 4
    index.close()


def test_vectors_of_a_space_that_is_not_in_use_are_found_by_their_texts(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in range(6)])
    embed(index, index.pending.due(NOW, 4))
    index.use_space("another", DIMS)
    embed(index, index.pending.due(NOW, 6), "another")
    index.find_space("test", DIMS)

    agree(as_source(index), told_by_sql(index), 6)
    assert len(told_by_sql(index)) == 4
    index.find_space("never heard of", DIMS)
    agree(as_source(index), {}, 6)
    index.close()


def test_a_reader_beside_the_agent_sees_an_index_that_was_begun_anew(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in range(6)])
    embed(index, index.pending.due(NOW, 6))
    reader = Index(database.open_for_reading(tmp_path / "index.sqlite", tmp_path, is_live=True))
    reader.find_space("test", DIMS)
    vectors = as_source(reader)
    agree(vectors, told_by_sql(index), 6)

    index.empty()
    index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in (3, 4, 9)])

    assert sorted(told_by_sql(index)) == [1, 2]
    agree(vectors, told_by_sql(index), 6)
    reader.close()
    index.close()


def test_texts_that_come_back_have_their_vectors_at_once(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    entries = [remembered_turn(WINDOWS[0], number, number) for number in range(4)]
    rows, _ = index.remember(WINDOWS[0], entries)
    embed(index, index.pending.due(NOW, 3))
    index.forget(rows)
    again, _ = index.remember(WINDOWS[0], [*entries, replace(entries[0], line=99)])

    counts = index.counts()
    assert (counts.ok, counts.pending, counts.vectors) == (4, 1, 3)
    assert as_source(index).ready(np.array(again)).tolist() == sorted(told_by_sql(index))
    index.close()


def test_a_row_that_was_dropped_or_changed_while_its_vector_was_made_is_left_as_it_is(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    entries = [remembered_turn(WINDOWS[0], number, number) for number in range(3)]
    index.remember(WINDOWS[0], entries)
    waiting = index.pending.due(NOW, 3)
    index.forget([waiting[0].id])
    (new,), (old,) = index.remember(WINDOWS[0], [replace(entries[1], text="something else")])

    assert (old, new) == (waiting[1].id, 4)
    assert embed(index, waiting) == [waiting[2].id]
    index.pending.fail([waiting[2].id], NOW, is_permanent=True)
    counts = index.counts()
    assert (counts.ok, counts.pending, counts.failed, counts.vectors) == (1, 1, 0, 3)
    index.close()


def test_counts_are_those_of_each_status(tmp_path: Path) -> None:
    """Counted by indexes: reading and sorting a million turns took 40 MB and 0.4 s of the memory's time."""
    index = open_index(tmp_path)
    rows, _ = index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in range(12)])
    embed(index, index.pending.due(NOW, 3))
    index.pending.put_behind(rows[3:5])
    index.pending.put_off(rows[5:6], NOW)
    index.pending.fail(rows[6:8], NOW, is_permanent=False)
    index.pending.fail(rows[8:9], NOW, is_permanent=True)
    index.pending.set_aside(rows[9:10])

    counts = index.counts()
    by_status = dict(index.connection.execute("SELECT status, count(*) FROM turns GROUP BY status"))
    assert by_status == {"ok": counts.ok, "pending": counts.pending, "failed": counts.failed}
    assert (counts.rows, counts.ok, counts.pending, counts.failed, counts.set_aside) == (12, 3, 5, 4, 1)
    index.close()


def test_a_turn_has_a_vector_or_waits_for_one_and_never_both(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], 0, 0)])

    for wrong in ("status = 'ok'", "vector = 1", "vector = 1, status = 'failed'"):
        with pytest.raises(apsw.ConstraintError):
            list(index.connection.execute(f"UPDATE turns SET {wrong}"))
    index.close()


def test_what_is_known_is_not_looked_up_again(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in range(6)])
    embed(index, index.pending.due(NOW, 6))
    vectors = as_source(index)
    vectors.rows()
    vectors.fetch(np.arange(1, 7))
    statements: list[str] = []

    def note(_: object, statement: str, __: object) -> bool:
        statements.append(statement)
        return True

    index.connection.exec_trace = note

    assert len(vectors.fetch(np.arange(1, 7))) == 6
    assert statements == ["PRAGMA data_version"]
    index.close()


def test_many_rows_are_learned_in_parts(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in range(20)])
    embed(index, random.Random(1).sample(index.pending.due(NOW, 20), 13))

    agree(IndexVectors(index.connection, index.space, DIMS, part=3), told_by_sql(index), 20)
    assert len(told_by_sql(index)) == 13
    index.close()


def test_a_vector_that_was_altered_is_not_given(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, number) for number in range(3)])
    embed(index, index.pending.due(NOW, 3))
    list(index.connection.execute("UPDATE vectors SET embedding = zeroblob(length(embedding)) WHERE id = 2"))
    vectors = as_source(index)
    assert len(vectors.fetch(np.array([1, 3]))) == 2
    with pytest.raises(AlteredIndexError):
        vectors.fetch(np.array([1, 2, 3]))
    index.close()
