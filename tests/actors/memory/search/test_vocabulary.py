"""Which rows have the telling words of a question, whatever was counted when."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from actors.memory.index.index import Index
from actors.memory.search.visibility import Mask
from actors.memory.search.vocabulary import Vocabulary, WordTuning
from domain.memory.keywords import fts_query, question_words, telling
from tests.actors.memory.search.test_order import NOW, WINDOWS, remembered_turn

WORDS = [f"word{number}" for number in range(12)]


def store(index: Index, number: int, text: str) -> int:
    entry = replace(remembered_turn(WINDOWS[0], number, number), text=text, at=NOW + timedelta(seconds=number))
    added, _ = index.remember(WINDOWS[0], [entry])
    return added[0]


def told_by_fts5(index: Index, question: str, shown: Mask, total: int, common_rows: int) -> list[tuple[int, float]]:
    """The keyword index itself: its counts choose the words, its `bm25()` scores the rows."""
    counts = {str(term): int(str(rows)) for term, rows in index.connection.execute("SELECT term, doc FROM vocabulary")}
    query = fts_query(telling(question_words(question), counts, total, common_rows))
    if not query:
        return []
    found = index.connection.execute("SELECT rowid, -bm25(words) FROM words WHERE words MATCH ?", (query,))
    rows = [(int(str(row)), float(str(score))) for row, score in found]
    return sorted(((row, score) for row, score in rows if shown[row]), key=lambda one: (-one[1], -one[0]))


def best(words: Vocabulary, question: str, shown: Mask, total: int) -> list[tuple[int, float]]:
    rows, scores = words.best(question, shown, total)
    return list(zip(rows.tolist(), scores.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_rows_and_scores_are_those_of_fts5_to_the_last_bit_whatever_came_and_went(tmp_path: Path, seed: int) -> None:
    tuning, dice = WordTuning(common_rows=4, probe=2), random.Random(seed)
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    words, rows, found = Vocabulary(index.connection, tuning), list[int](), 0
    for number in range(120):
        text = " ".join(dice.choices(WORDS, weights=range(1, 13), k=dice.randint(1, 14)))
        rows.append(store(index, number, text))
        words.follow(rows[-1:], ())
        if dice.random() < 0.4:
            row = rows.pop(dice.randrange(len(rows)))
            index.forget([row])
            words.follow((), [row])
        question = " ".join(dice.sample([*WORDS, "unheard", "the"], 3))
        shown = np.array([dice.random() < 0.9 for _ in range(number + 2)])
        expected = told_by_fts5(index, question, shown, len(rows), tuning.common_rows)
        assert best(words, question, shown, len(rows)) == expected
        found += bool(expected)
    assert found > 60
    index.close()


def test_of_a_frequent_word_no_more_is_read_than_tells_that_it_is_one(
    tmp_path: Path,
) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    for number in range(40):
        store(index, number, f"fox number{number}")
    words, asked = Vocabulary(index.connection, WordTuning(common_rows=4, probe=2)), list[object]()

    def note(_cursor: object, statement: str, values: object) -> bool:
        if "group_concat(doc)" in statement:
            asked.append(values)
        return True

    index.connection.exec_trace = note
    for number in range(5):
        found, _ = words.best(f"fox number{number}", np.ones(41, np.bool_), 40)
        assert found.tolist() == [number + 1]
    assert len(asked) >= 6
    assert [values for values in asked if "fox" in str(values)] == [("fox", 2)]
    index.close()


def test_a_frequent_word_that_is_said_no_more_is_telling_when_it_has_become_rare(
    tmp_path: Path,
) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    rows = [store(index, number, f"fox number{number}") for number in range(10)]
    words, shown = Vocabulary(index.connection, WordTuning(common_rows=4)), np.ones(11, np.bool_)
    assert words.best("fox number3", shown, 10)[0].tolist() == [4]
    gone = [row for row in rows if row not in (2, 4, 6)]
    index.forget(gone)
    words.follow((), gone)
    assert words.best("fox number3", shown, 3)[0].tolist() == [4, 6, 2]
    index.close()


def test_where_all_words_are_frequent_the_rarest_counts_and_of_equals_the_first(
    tmp_path: Path,
) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    for number in range(12):
        store(index, number, "ant bee" if number < 4 else "cow bee" if number < 8 else "ant")
    words, shown = Vocabulary(index.connection, WordTuning(common_rows=2)), np.ones(13, np.bool_)
    for _ in range(2):
        assert words.best("ant cow bee", shown, 12)[0].tolist() == [8, 7, 6, 5]
        assert len(words.best("ant bee", shown, 12)[0]) == 8
        assert words.best("bee ant", shown, 12)[0].max() == 8
        assert words.best("ant bee", shown, 12)[0].max() == 12
    index.close()


def test_no_more_rows_are_given_than_count_and_none_that_may_not_be_found(
    tmp_path: Path,
) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    for number in range(20):
        store(index, number, "fox")
    shown = np.ones(19, np.bool_)
    shown[18] = False

    found, scores = Vocabulary(index.connection, WordTuning(most_rows=5)).best("the fox", shown, 20)

    assert found.tolist() == [17, 16, 15, 14, 13], "of equals the newer"
    assert (scores > 0).all()
    assert [len(column) for column in Vocabulary(index.connection).best("the", shown, 20)] == [0, 0]
    assert [len(column) for column in Vocabulary(index.connection).best("badger", shown, 20)] == [0, 0]
    index.close()


def test_what_is_kept_of_words_has_an_end(tmp_path: Path) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    store(index, 0, " ".join(WORDS))
    words = Vocabulary(index.connection, WordTuning(most_known=6))
    for word in WORDS:
        assert words.best(word, np.ones(2, np.bool_), 1)[0].tolist() == [1]
        assert len(words._known) <= 6
    index.close()
