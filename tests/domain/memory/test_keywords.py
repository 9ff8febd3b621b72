from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.memory.keywords import (
    COMMON_ROWS,
    MOST_CHARS,
    MOST_WORDS,
    STOP_WORDS,
    TOKENIZER,
    fts_query,
    question_terms,
    question_words,
    telling,
    terms,
    words,
)
from domain.memory.porter import stem
from domain.memory.searchable import searchable

R = TypeVar("R")
LETTERS = "abyzé ÅüÇñß ЖёйЯ Σδ 中文 09 ._-'’\"!?\n\t#@/\u0301\u0308\u093f😀"


def rows_found(texts: list[str], query: str) -> list[int]:
    connection = apsw.Connection(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE f USING fts5(x, tokenize = '{TOKENIZER}')")
    connection.executemany("INSERT INTO f(rowid, x) VALUES (?, ?)", enumerate(texts))
    first_words = [
        int(str(row)) for (row,) in connection.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY 1", (query,))
    ]
    connection.close()
    return first_words


def terms_in_fts5(text: str) -> list[str]:
    connection = apsw.Connection(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE f USING fts5(x, tokenize = '{TOKENIZER}')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, instance)")
    connection.execute("INSERT INTO f(rowid, x) VALUES (1, ?)", (text,))
    first_words = [str(term) for (term,) in connection.execute("SELECT term FROM v ORDER BY offset")]
    connection.close()
    return first_words


@settings(max_examples=200, deadline=None)
@example("0aΣé")  # a letter of two bytes is two letters to FTS5's stemmer
@given(st.text(LETTERS, max_size=40))
def test_the_terms_of_a_text_are_those_that_fts5_indexes_in_their_order(text: str) -> None:
    assert terms(text) == terms_in_fts5(searchable(text, is_question=True))


def test_words_are_in_lower_case_without_accents_on_latin_letters() -> None:
    assert words("Łódź, Café au-lait: Straße 7b, йод!") == ["łodz", "cafe", "au", "lait", "straße", "7b", "йод"]


def test_a_question_is_looked_up_by_each_word_once_and_by_no_stop_word() -> None:
    assert question_words("When did Bob's dogs run? Did the dog run away, Bob?") == ("bob", "dogs", "run", "away")
    assert question_terms("the dogs ran") == {"dog", "ran"}


def noting(given_to: list[str], function: Callable[[str], R]) -> Callable[[str], R]:
    """`function` with a record of all its arguments."""

    def note_terms(text: str) -> R:
        given_to.append(text)
        return function(text)

    return note_terms


@pytest.mark.parametrize("question", [" ".join(f"w{n}" for n in range(200_000)), "the " * 250_000, "é" * 1_000_000])
def test_what_is_looked_at_of_a_question_has_a_bound(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    stemmed: list[str] = []
    monkeypatch.setattr("domain.memory.keywords.words", noting(looked_at, words))
    monkeypatch.setattr("domain.memory.keywords.stem", noting(stemmed, stem))

    assert len(question_words(question)) <= MOST_WORDS

    assert sum(map(len, looked_at)) <= MOST_CHARS
    assert len(stemmed) <= MOST_WORDS


def test_a_question_of_stop_words_is_looked_up_by_nothing() -> None:
    assert question_words("What is it that you are?") == ()
    assert fts_query(()) == ""


def test_of_a_very_long_question_the_first_words_are_looked_up() -> None:
    first_words = question_words(" ".join(f"word{number}" for number in range(100)))
    assert first_words == tuple(f"word{number}" for number in range(MOST_WORDS))


def test_stop_words_are_words_as_the_index_has_them() -> None:
    assert [word for word in STOP_WORDS if words(word) != [word]] == []


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60))
def test_any_question_makes_a_query_that_fts5_takes(question: str) -> None:
    if query := fts_query(question_words(question)):
        rows_found(["something"], query)


def test_the_query_finds_rows_with_any_of_the_words_in_any_form() -> None:
    texts = ["Two dogs barked.", "A cat slept.", "Nothing OR nothing", 'a "quoted" NEAR word']
    assert rows_found(texts, fts_query(question_words('dog barking or "near"'))) == [0, 3]


@pytest.mark.parametrize(
    ("rows", "counts", "expected"),
    [
        (1_000_000, {"dog": 20_000, "bark": 3, "park": 20_001}, ("dogs", "bark")),
        (100, {"dog": 100, "bark": 1}, ("dogs", "bark")),
        (10_000, {"dog": COMMON_ROWS, "bark": COMMON_ROWS + 1}, ("dogs",)),
    ],
    ids=["two percent of many rows", "all of few rows", "a thousand rows"],
)
def test_words_in_too_many_rows_and_in_none_are_not_looked_up(
    rows: int, counts: dict[str, int], expected: tuple[str, ...]
) -> None:
    assert telling(("dogs", "bark", "park", "unheard"), counts, rows) == expected


def test_if_all_words_are_common_the_rarest_is_looked_up() -> None:
    assert telling(("dog", "bark"), {"dog": 90_000, "bark": 80_000}, 100_000) == ("bark",)
    assert telling(("dog",), {}, 100_000) == ()
