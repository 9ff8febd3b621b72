from __future__ import annotations

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.memory.bm25 import Bm25, Postings, sum_scores
from domain.memory.keywords import TOKENIZER, fts_query, question_words, terms

TEXTS = (
    "Alice bought a red bicycle in May.",
    "Bob rode bicycles, bicycles and nothing but a bicycle!",
    "It rained.",
    "Alice and Bob talked about the weather, the rain, and how often it rains in spring; a long sentence it was.",
    "Carol was somewhere else",
)


def scores_of_fts5(texts: tuple[str, ...], question: str) -> dict[int, float]:
    connection = apsw.Connection(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE f USING fts5(x, tokenize = '{TOKENIZER}')")
    connection.executemany("INSERT INTO f(rowid, x) VALUES (?, ?)", enumerate(texts))
    rows = connection.execute("SELECT rowid, bm25(f) FROM f WHERE f MATCH ?", (fts_query(question_words(question)),))
    scores = {int(str(row)): -float(str(score)) for row, score in rows}
    connection.close()
    return scores


def scores_of_ours(texts: tuple[str, ...], question: str) -> dict[int, float]:
    return Bm25([terms(text) for text in texts]).scores(terms(" ".join(question_words(question))))


@pytest.mark.parametrize("question", ["Who has a bicycle?", "Alice and Bob, rain or bicycles?", "Where was Carol?"])
def test_scores_are_those_of_fts5(question: str) -> None:
    expected = scores_of_fts5(TEXTS, question)
    assert expected
    assert scores_of_ours(TEXTS, question) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(("ant", "bee", "cow", "dog", "elk")), max_size=6).map(" ".join), min_size=1),
    st.lists(st.sampled_from(("ant", "bee", "cow", "yak")), min_size=1).map(" ".join),
)
def test_scores_are_those_of_fts5_also_for_terms_in_most_documents(texts: list[str], question: str) -> None:
    assert scores_of_ours(tuple(texts), question) == pytest.approx(scores_of_fts5(tuple(texts), question), rel=1e-9)


def scores_of_columns(texts: list[str], question: str) -> dict[int, float]:
    documents = [terms(text) for text in texts]
    lengths = np.array([len(document) for document in documents])
    postings, sizes = [], []
    for term in terms(" ".join(question_words(question))):
        rows = np.array([row for row, document in enumerate(documents) if term in document], np.int64)
        counts = np.array([documents[row].count(term) for row in rows.tolist()], np.int64)
        postings.append(Postings(len(rows), rows, counts))
        sizes.append(lengths[rows])
    rows, scores = sum_scores(postings, sizes, len(texts), float(lengths.mean()))
    assert (np.diff(rows) > 0).all()
    return dict(zip(rows.tolist(), scores.tolist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(("ant", "bee", "cow", "dog", "elk")), max_size=6).map(" ".join), min_size=1),
    st.lists(st.sampled_from(("ant", "bee", "cow", "yak")), min_size=1).map(" ".join),
)
def test_scores_in_columns_are_those_of_fts5_to_the_last_bit(texts: list[str], question: str) -> None:
    expected = scores_of_fts5(tuple(texts), question)
    assert scores_of_columns(texts, question) == expected


def test_no_terms_score_nothing() -> None:
    assert [column.tolist() for column in sum_scores([], [], 3, 2.0)] == [[], []]


def test_it_knows_in_how_many_documents_a_term_stands() -> None:
    assert Bm25([["a", "a", "b"], ["b"], []]).rows_with() == {"a": 1, "b": 2}


def test_without_documents_nothing_is_found() -> None:
    assert Bm25([]).scores(["a"]) == {}
