from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.document import parse_document
from domain.curated.page import Page
from domain.curated.recall import LONGEST_QUERY, MOST, RecallCode, flaw_of_query, matches
from domain.memory.keywords import terms
from tests.domain.curated.files import anything

INDEX = b"## Build\n- sccache breaks -Werror\n- use make\n## Tests\n- run them with pytest, the build is slow\n"


def pages(data: bytes) -> list[tuple[str, str, Page]]:
    return [("global", "MEMORY.md", page) for page in parse_document(data).facts]


def recalled(query: str, data: bytes = INDEX) -> list[str]:
    return [each.page.text for each in matches(query, pages(data))]


@pytest.mark.req("S1-79")
def test_the_codes_are_those_of_the_source() -> None:
    assert {each.value for each in RecallCode} == {
        "ok",
        "no_match",
        "denied",
        "malformed",
        "unavailable",
        "backend_error",
    }


def test_a_question_without_words_or_with_too_many_is_malformed(subtests: pytest.Subtests) -> None:
    for query in ["", "  \n", "?!", "- * +", "x" * (LONGEST_QUERY + 1), "word " * LONGEST_QUERY]:
        with subtests.test(query=query):
            assert flaw_of_query(query)


def test_any_word_can_be_looked_for(subtests: pytest.Subtests) -> None:
    for query in ["sccache", "the", "Grüße", "构建", "x" * LONGEST_QUERY, "7"]:
        with subtests.test(query=query):
            assert flaw_of_query(query) == ""


def test_the_page_with_most_words_of_the_question_comes_first() -> None:
    assert recalled("How do I run the build with make?") == [
        "use make",
        "run them with pytest, the build is slow",
        "sccache breaks -Werror",
    ]
    assert recalled("Sccache BREAKING") == ["sccache breaks -Werror"]


def test_a_question_that_nothing_has_a_word_of_has_no_match() -> None:
    assert recalled("kubernetes") == []
    assert recalled("them") == ["run them with pytest, the build is slow"], "a question of stop words is taken by them"


@given(anything, st.text(max_size=20))
def test_every_match_has_a_word_of_the_question_and_the_best_come_first(data: bytes, query: str) -> None:
    every = matches(query, pages(data))

    assert len(every) <= MOST
    assert [each.hits for each in every] == sorted((each.hits for each in every), reverse=True)
    assert all(set(terms(query)) & set(terms(f"{each.page.section} {each.page.text}")) for each in every)
    assert every == matches(query, pages(data))


def test_of_very_many_matches_the_first_are_given() -> None:
    assert recalled("same", b"".join(b"- same %d\n" % n for n in range(100))) == [f"same {n}" for n in range(MOST)]
