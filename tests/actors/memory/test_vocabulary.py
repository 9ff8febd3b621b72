"""Which rows have the telling words of a question, whatever was counted when."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from actors.memory import vocabulary
from actors.memory.index import Index
from actors.memory.vocabulary import Vocabulary
from domain import keywords
from tests.actors.memory.test_order import NOW, WINDOWS, said

WORDS = [f"word{number}" for number in range(12)]


def store(index: Index, number: int, text: str) -> int:
    entry = replace(said(WINDOWS[0], number, number), text=text, at=NOW + timedelta(seconds=number))
    added, _ = index.remember(WINDOWS[0], [entry])
    return added[0]


@pytest.mark.parametrize("seed", range(6))
def test_counts_that_were_kept_choose_the_words_that_counting_anew_chooses(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keywords, "COMMON_ROWS", 4)
    dice = random.Random(seed)
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    kept, rows = Vocabulary(index.connection), list[int]()
    for number in range(120):
        rows.append(store(index, number, " ".join(WORDS[: dice.randint(1, 12)])))
        kept.changed(1)
        if dice.random() < 0.4:
            row = rows.pop(dice.randrange(len(rows)))
            index.forget([row])
            kept.changed(1)
        question = " ".join(dice.sample(WORDS, 3))
        shown = np.ones(number + 2, np.bool_)
        anew = Vocabulary(index.connection).best(question, shown, len(rows))
        found = kept.best(question, shown, len(rows))
        assert [column.tolist() for column in found] == [column.tolist() for column in anew]
    index.close()


def test_a_frequent_word_is_counted_once_for_many_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keywords, "COMMON_ROWS", 4)
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    for number in range(40):
        store(index, number, f"fox number{number}")
    words = Vocabulary(index.connection)
    for number in range(5):
        found, _ = words.best(f"fox number{number}", np.ones(41, np.bool_), 40)
        assert found.tolist() == [number + 1]
        words.changed(1)
    assert words._known["fox"] == (40, 0)
    assert words._known["number4"] == (1, 4)
    index.close()


def test_no_more_rows_are_given_than_count_and_none_that_may_not_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "WORD_SCORES", 5)
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    for number in range(20):
        store(index, number, "fox")
    shown = np.ones(19, np.bool_)
    shown[18] = False

    found, scores = Vocabulary(index.connection).best("the fox", shown, 20)

    assert found.tolist() == [17, 16, 15, 14, 13], "of equals the newer"
    assert (scores > 0).all()
    assert [len(column) for column in Vocabulary(index.connection).best("the", shown, 20)] == [0, 0]
    assert [len(column) for column in Vocabulary(index.connection).best("badger", shown, 20)] == [0, 0]
    index.close()
