"""Texts: whatever is said to be kept reads back to the letter, whatever went and however the chain stands."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from actors.memory.derived.database import DerivedDatabase
from actors.objects.store import texts
from actors.objects.store.audit import audit
from actors.objects.store.database import SCHEMA
from messages.objects import CollectObjects, ListVersions, ObjectsCollected, VersionsListed
from tests.actors.objects.store.rig import OTHER, WINDOW, StoreRig, edit_text, long_text

ROWS = "SELECT count(*), max(depth), sum(length(data)) FROM texts"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[StoreRig]:
    rig = StoreRig(tmp_path)
    yield rig
    rig.stop()


def rows_of(rig: StoreRig) -> tuple[int, int, int]:
    """Count of texts, length of the longest chain, and bytes."""
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    ((count, deepest, size),) = connection.execute(ROWS)
    connection.close()
    rig.start()
    return count, deepest, size


def test_sixty_edits_of_a_file_cost_little_more_than_the_file(rig: StoreRig) -> None:
    text = long_text(1, 200)
    made = []
    for number in range(60):
        text = edit_text(text, number)
        made.append(text)
        rig.store_round([rig.version("f1", text)])
    on_disk = sum(each.stat().st_size for each in rig.path.parent.iterdir())
    count, deepest, size = rows_of(rig)
    assert (count, deepest) == (60, 19)
    assert size < 60 * len(text) / 10
    assert on_disk < 2 * 1024 * 1024
    assert [rig.text("f1", no=number + 1) for number in range(60)] == made


@pytest.mark.parametrize("lines", [500, 1_000, 4_000])
def test_edits_of_a_large_file_cost_little_more_than_the_file_too(rig: StoreRig, lines: int) -> None:
    text = long_text(1, lines)
    rig.store_round([rig.version("f1", text)])
    first = rows_of(rig)[2]
    made = [text]
    for number in range(10):
        for _ in range(5):
            text = edit_text(text, random.Random(number).randrange(lines))
        made.append(text)
        rig.store_round([rig.version("f1", text)])
    assert rows_of(rig)[2] < 1.5 * first
    assert [rig.text("f1", no=number + 1) for number in range(11)] == made


def test_a_text_that_has_nothing_of_the_one_before_is_kept_by_itself(rig: StoreRig) -> None:
    rig.store_round([rig.version("f1", long_text(seed, 200)) for seed in range(5)])
    assert rows_of(rig)[1] == 0


@pytest.mark.parametrize(
    "sizes", [(0, 1), (1, 0), (16_383, 16_384), (16_384, 16_385), (5, 100_000), (100_000, 5), (24_576, 57_345)]
)
def test_texts_of_any_two_lengths_are_kept_against_each_other(rig: StoreRig, sizes: tuple[int, int]) -> None:
    made = [("ab\n" * 40_000)[:size] for size in sizes]
    rig.store_round([rig.version("f1", text) for text in made])
    assert [rig.text("f1", no=number + 1) for number in range(2)] == made


def test_the_same_text_is_kept_once_in_a_window_and_never_for_two(rig: StoreRig) -> None:
    rig.store_round([rig.version("f1", "same"), rig.version("f2", "same"), rig.version("f1", "other")])
    rig.store_round([rig.version("f1", "same")])
    rig.store_round([rig.version("f1", "same", OTHER)], OTHER)
    assert rows_of(rig)[0] == 3
    assert rig.text("f2") == "same"


@pytest.mark.parametrize("text", ["", "\0", "é\n" * 3, "\ud7ff", "x" * 256 * 1024])
def test_any_text_comes_back(rig: StoreRig, text: str) -> None:
    rig.store_round([rig.version("f1", text)])
    rig.live_again()
    assert rig.text("f1") == text


def test_a_text_that_is_not_what_was_kept_is_given_to_nobody(rig: StoreRig, caplog: pytest.LogCaptureFixture) -> None:
    first = long_text(1, 30)
    second = edit_text(first, 1)
    rig.store_round([rig.version("f1", first), rig.version("f1", second), rig.version("f2", "sound")])
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("UPDATE texts SET data = (SELECT data FROM texts WHERE id = 3) WHERE id = 1"))
    connection.close()
    assert len(audit(rig.path)) >= 2
    rig.start()
    assert [rig.text("f1", no=1), rig.text("f1", no=2), rig.text("f2")] == [None, None, "sound"]
    assert [record.getMessage() for record in caplog.records].count(
        "a text in the object store was altered and is not used"
    ) == 1


def test_what_is_kept_against_a_text_that_goes_stays(rig: StoreRig) -> None:
    made = [long_text(1, 100)]
    for number in range(30):
        made.append(edit_text(made[-1], number))
    rig.store_round([rig.version("f1", text) for text in made])
    rig.clock.advance(100 * 86_400)
    collected = rig.answer(ObjectsCollected, CollectObjects, keep_days=30)
    assert collected.texts == 30
    assert rig.text("f1") == made[-1]
    assert rig.text("f1", no=3) is None
    listed = rig.answer(VersionsListed, ListVersions, window=WINDOW, object="f1")
    assert (len(listed.versions), listed.kept) == (31, (31,))
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


def test_a_chain_that_is_broken_is_not_followed_for_ever() -> None:
    connection = DerivedDatabase(SCHEMA, None, datetime.now(UTC)).connection
    list(connection.execute("INSERT INTO windows(id, key) VALUES (1, 'w')"))
    first = texts.keep(connection, 1, b"one " * 100, None)[0]
    second = texts.keep(connection, 1, b"one " * 101, first)[0]
    list(connection.execute("UPDATE texts SET base = ? WHERE id = ?", (second, first)))
    with pytest.raises(texts.DamagedTextError):
        texts.read(connection, second)
