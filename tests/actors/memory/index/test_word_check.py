"""The keyword index is held against the turns in steps, while rows come and go."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.memory.index.index import Index
from actors.memory.index.seal import AlteredIndexError
from actors.memory.index.word_check import check_words
from tests.actors.memory.index.test_reconcile import an_index, compare, log_event, write


@pytest.fixture
def index(tmp_path: Path) -> Index:
    write(tmp_path, [log_event(number, f"word{number} \udcff common É") for number in range(9)])
    made = an_index(tmp_path)
    compare(tmp_path, made)
    return made


def steps(index: Index, at: int, change: str) -> int:
    """Steps of a check in which `change` is made before step `at`."""
    count = 0
    for count, _ in enumerate(check_words(index.connection, rows_at_once=2, terms_at_once=3), 1):
        if count == at:
            list(index.connection.execute(change))
    return count


def test_words_as_they_were_stored_pass(index: Index) -> None:
    assert steps(index, 0, "") >= 9
    index.close()


@pytest.mark.parametrize("at", range(1, 10))
def test_rows_that_come_or_go_meanwhile_are_no_alteration(index: Index, at: int) -> None:
    for change in (
        "DELETE FROM words WHERE rowid = 5; DELETE FROM turns WHERE id = 5",
        "INSERT INTO words(rowid, content) VALUES (77, 'another common word3')",
    ):
        assert steps(index, at, change) >= 9
    index.close()


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO words(rowid, content) VALUES (8, 'zzz')",
        "DELETE FROM words WHERE rowid = 9",
        "DELETE FROM words WHERE rowid = 2; INSERT INTO words(rowid, content) VALUES (2, 'Alice: common word1')",
        "INSERT INTO words(words) VALUES ('delete-all')",
    ],
)
def test_words_that_no_turn_has_and_turns_without_their_words_are_named(index: Index, change: str) -> None:
    list(index.connection.execute(change))
    with pytest.raises(AlteredIndexError, match="the first differs at"):
        steps(index, 0, "")
    index.close()
