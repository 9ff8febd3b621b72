"""Edits of curated memory on markdown of every kind: nothing but what is asked for changes."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.curated.document import parse_document
from domain.curated.edits import confirm_fact, fix_fact, with_fact, with_facts, with_page, without_fact
from domain.curated.page import Page
from domain.edit.lines import EditRefusedError

LINES = [
    "# A",
    "## B",
    "## Remembered",
    "##",
    "- one",
    "- two",
    "* three",
    "+ four",
    "- [T](t.md) - x",
    "  - nested",
    "\tmore",
    "  cont",
    "```",
    "~~~",
    "````py",
    "<!-- x -->",
    "<!--",
    "-->",
    "",
    "- dup",
    "- dup",
    "---",
    "title: x",
    "> quote",
    "prose",
    "1. num",
    "- ",
    "-",
    "- a <!-- confirmed 2020-01-01 -->",
    "- ```",
    "  ```",
    "* * *",
    "- [ ] todo",
    "###### deep ######",
    "## x #",
    "\ufeff",
    "\xa0",
    "- \u2028x",
]
ENDS = st.sampled_from((b"\n", b"\r\n"))
MARKDOWN = st.builds(
    lambda mark, lines, end, is_ended: mark + end.join(line.encode() for line in lines) + end * is_ended,
    st.sampled_from((b"", b"\xef\xbb\xbf")),
    st.lists(st.sampled_from(LINES), max_size=14),
    ENDS,
    st.booleans(),
)
DOCUMENTS = st.one_of(MARKDOWN, st.binary(max_size=60))
FACTS = st.sampled_from(("new fact", "# head?", "```", "[T](u.md) — y", "a | b", "one", "* x", "-->", "no end"))
HEADINGS = st.sampled_from(("", "B", "remembered", "New", "A", "x #", "##", "a\\"))


def texts(data: bytes) -> Counter[str]:
    return Counter(page.text for page in parse_document(data).facts)


def inserted(before: bytes, after: bytes) -> bool:
    """Whether `after` is `before` with something at one place, but for a line end at the end."""
    for whole in (before, before + b"\n", before + b"\r\n"):
        start = len(_common(whole, after))
        if after.endswith(whole[start:]) and len(after) >= len(whole):
            return True
    return False


def _common(one: bytes, other: bytes) -> bytes:
    count = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:count]


@given(DOCUMENTS, FACTS, HEADINGS)
def test_an_addition_is_one_insertion_and_is_made_once(data: bytes, text: str, heading: str) -> None:
    edited = with_fact(data, text, heading)
    assert inserted(data, edited)
    assert texts(edited) == (texts(data) if texts(data)[text] else texts(data) + Counter([text]))
    assert with_fact(edited, text, heading, "2026-01-01") == edited


@given(DOCUMENTS, st.lists(st.tuples(FACTS, HEADINGS), max_size=6))
def test_many_facts_are_added_as_one_after_the_other(data: bytes, facts: list[tuple[str, str]]) -> None:
    one_by_one = data
    for text, heading in facts:
        one_by_one = with_fact(one_by_one, text, heading)
    assert with_facts(data, facts) == one_by_one


@given(DOCUMENTS, FACTS, st.integers(min_value=0))
def test_one_fact_goes_or_changes_and_all_others_stay(data: bytes, text: str, which: int) -> None:
    facts = parse_document(data).facts
    if not facts:
        return
    page = facts[which % len(facts)]
    rest = texts(data) - Counter([page.text])
    assert texts(without_fact(data, page)) == rest
    assert texts(fix_fact(data, page, text)) == rest + Counter([text])


@given(DOCUMENTS, st.integers(min_value=0))
@example(b"* \0 ", 0)
@example(b"- ends in a blank \n", 0)
@example(b"- ends in a hard break  \n  below\n", 0)
def test_a_confirmation_changes_the_first_line_of_its_fact_alone(data: bytes, which: int) -> None:
    facts = parse_document(data).facts
    if not facts:
        return
    page = facts[which % len(facts)]
    once = confirm_fact(data, page, "2026-01-01")
    assert texts(once) == texts(data)
    assert once.count(b"\n") == data.count(b"\n")
    assert confirm_fact(once, page, "2026-01-01") == once


@given(DOCUMENTS, DOCUMENTS, st.integers(min_value=0))
def test_a_fact_comes_into_another_file_once_or_is_refused(data: bytes, other: bytes, which: int) -> None:
    facts = parse_document(data).facts
    if not facts:
        return
    page = facts[which % len(facts)]
    try:
        edited = with_page(other, page, page.section)
    except EditRefusedError:
        return
    assert inserted(other, edited)
    assert texts(edited) == (texts(other) if texts(other)[page.text] else texts(other) + Counter([page.text]))
    assert with_page(edited, page, page.section) == edited


def test_a_block_that_is_open_in_the_archive_swallows_no_fact() -> None:
    (page,) = parse_document(b"- x\n  ```\n  code\n").facts
    with pytest.raises(EditRefusedError, match="close that one first"):
        with_page(b"- old\n\n```\nopen\n", page)


def test_a_heading_with_marks_at_its_end_is_made_once() -> None:
    edited = with_fact(with_fact(b"", "one", "x #"), "two", "x #")
    assert edited == b"## x\n\n- one\n- two\n"


def _page(data: bytes) -> Page:
    return parse_document(data).facts[0]


def test_a_nested_list_stays_one_when_it_is_confirmed() -> None:
    data = b"- build\n  - with make\n\n      code\n- other\n"
    day = b"- build <!-- confirmed 2026-01-02 -->\n  - with make\n\n      code\n- other\n"
    assert confirm_fact(data, _page(data), "2026-01-02") == day
    assert confirm_fact(day, _page(day), "2026-01-02") == day
