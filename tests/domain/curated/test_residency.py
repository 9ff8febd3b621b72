from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.document import parse_document
from domain.curated.page import MINIMUM, Fidelity, Page, Scope
from domain.curated.residency import resident_set
from domain.text.lines import decode_text
from tests.domain.curated.files import anything

BUDGETS = st.integers(0, 60)


def pages(global_index: bytes, project_index: bytes = b"") -> list[tuple[Scope, Page]]:
    return [(Scope.GLOBAL, page) for page in parse_document(global_index).pages] + [
        (Scope.PROJECT, page) for page in parse_document(project_index).pages
    ]


def indexes(global_index: bytes, max_tokens: int, project_index: bytes = b"") -> tuple[str, str]:
    chosen = resident_set(pages(global_index, project_index), max_tokens)
    return chosen.index_text(Scope.GLOBAL), chosen.index_text(Scope.PROJECT)


@given(anything, anything, BUDGETS)
@pytest.mark.req("S1-06", "S1-71")
def test_the_same_pages_give_the_same_choice_within_the_budget(one: bytes, other: bytes, budget: int) -> None:
    chosen = resident_set(pages(one, other), budget)

    assert chosen == resident_set(pages(one, other), budget)
    assert chosen.tokens <= budget
    assert len(chosen.index_text(Scope.GLOBAL)) + len(chosen.index_text(Scope.PROJECT)) <= 4 * budget
    assert sum(chosen.counts().values()) == len(chosen.residents)


@given(anything, anything, BUDGETS)
@pytest.mark.req("X-76")
def test_what_fits_whole_is_shown_as_it_stands_in_the_files(one: bytes, other: bytes, budget: int) -> None:
    texts = decode_text(one.removeprefix(b"\xef\xbb\xbf")), decode_text(other.removeprefix(b"\xef\xbb\xbf"))
    chosen = resident_set(pages(one, other), budget)

    if sum(map(len, texts)) <= 4 * budget:
        assert chosen.is_whole
    assert chosen.is_whole == (all(each.fidelity is Fidelity.FULL for each in chosen.residents))
    if chosen.is_whole:
        assert (chosen.index_text(Scope.GLOBAL), chosen.index_text(Scope.PROJECT)) == texts


@given(anything, anything, BUDGETS)
@pytest.mark.req("X-132")
def test_no_page_is_shown_below_the_least_of_its_kind(one: bytes, other: bytes, budget: int) -> None:
    for each in resident_set(pages(one, other), budget).residents:
        assert each.fidelity in (Fidelity.FULL, MINIMUM[each.page.kind], Fidelity.ABSENT)
        assert (each.text == "") == (each.fidelity is Fidelity.ABSENT)


@given(anything, BUDGETS)
def test_pages_keep_their_order(data: bytes, budget: int) -> None:
    chosen = resident_set(pages(data), budget)

    assert [each.page for each in chosen.residents] == list(parse_document(data).pages)


@given(anything, anything)
def test_without_a_budget_nothing_is_shown(one: bytes, other: bytes) -> None:
    assert resident_set(pages(one, other), 0).tokens == 0


def test_pointers_come_first_then_headings_then_facts(subtests: pytest.Subtests) -> None:
    for budget, expected in [
        (100, "# A\n- [B](b.md)\n- long words\n  and more\n"),
        (10, "# A\n- [B](b.md)\n- long words\n  and more\n"),
        (9, "# A\n- [B](b.md)\n- long words …\n"),
        (4, "# A\n- [B](b.md)\n"),
        (3, "- [B](b.md)\n"),
        (1, "# A\n"),
        (0, ""),
    ]:
        with subtests.test(budget=budget):
            assert indexes(b"# A\n- [B](b.md)\n- long words\n  and more\n", budget)[0] == expected


def test_the_projects_pages_come_before_the_global_ones() -> None:
    assert indexes(b"- one two\n", 3, b"- one two\n") == ("", "- one two\n")


def test_a_page_that_is_shorter_than_its_gist_is_shown_whole_when_it_fits() -> None:
    assert indexes(b"- a\nb\n- cccccccccccc\n", 2)[0] == "- a\nb\n"
