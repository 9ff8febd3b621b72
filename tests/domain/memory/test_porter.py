from __future__ import annotations

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.memory.porter import stem

WORDS = (
    "caresses ponies cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling "
    "hissing fizzed failing filing happy sky relational conditional rational valenci hesitanci digitizer conformabli "
    "radicalli differentli vileli analogousli vietnamization predication operator feudalism decisiveness hopefulness "
    "callousness formaliti sensitiviti sensibiliti triplicate formative formalize electriciti electrical hopeful "
    "goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment "
    "dependent adoption homologou communism activate angulariti homologous effective bowdlerize probate rate cease "
    "controll roll eed eeds ies sses sky yyed by is us bus generalizations oscillators analogies logging archaeology"
)
SUFFIXES = ("", "s", "es", "ed", "ing", "eed", "ies", "y", "ational", "iveness", "ement", "ion", "ful", "ll", "e", "ly")


def terms_of_fts5(words: list[str]) -> dict[str, str]:
    """Word -> term in SQLite's index."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(x, tokenize = 'porter unicode61')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, instance)")
    connection.executemany("INSERT INTO f(rowid, x) VALUES (?, ?)", enumerate(words))
    terms = {words[int(str(row))]: str(term) for term, row in connection.execute("SELECT term, doc FROM v")}
    connection.close()
    return terms


def test_a_word_has_the_stem_that_fts5_gives_it() -> None:
    words = WORDS.split()
    assert {word: stem(word) for word in words} == terms_of_fts5(words)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda begin, first, second: begin + first + second,
            st.text("aeioubcdlstwxyz", min_size=1, max_size=6),
            st.sampled_from(SUFFIXES),
            st.sampled_from(SUFFIXES),
        ),
        min_size=1,
        max_size=50,
    )
)
def test_whatever_the_letters_and_endings_the_stem_is_that_of_fts5(words: list[str]) -> None:
    assert {word: stem(word) for word in words} == terms_of_fts5(words)


def test_very_short_and_very_long_words_stay_as_they_are(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["is", "a", "ed", "z" * 61 + "ing"]
    for word in cases:
        with subtests.test(word=word):
            assert stem(word) == word
