"""Measures of the prose are right, and docstrings and pages are within the language's bounds."""

from __future__ import annotations

import pytest

from tests.docs.language import FOLDERS
from tests.docs.measures import docstrings, hand_written, measure, rows
from tests.docs.prose import ROOT

MOST_PRONOUNS = 0.05
"""Largest share of pronouns in the docstrings of a folder."""
MOST_WORDS = 48_000
"""Words of all pages that people write, code blocks included."""


def test_pronouns_indefinite_words_and_address_are_counted() -> None:
    measures = measure(["It is what they have said. You read a file.", "Somebody asks `it`."])
    assert (measures.words, measures.sentences, measures.dense, measures.indefinite) == (13, 3, 1, 1)
    assert measures.pronouns == pytest.approx(4 / 13)
    assert measures.addressed == pytest.approx(1 / 3)
    assert measures.mean == pytest.approx(13 / 3)


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_name_their_nouns(folder: str) -> None:
    assert measure(docstrings(ROOT / folder)).pronouns <= MOST_PRONOUNS


def test_pages_stay_short() -> None:
    assert sum(len(page.read_text("utf-8").split()) for page in hand_written(ROOT)) <= MOST_WORDS


def test_the_report_has_a_row_for_each_folder_and_page() -> None:
    report = "\n".join(rows(ROOT))
    assert all(f"\n{folder} " in report for folder in FOLDERS)
    assert "docs/architecture.md " in report
