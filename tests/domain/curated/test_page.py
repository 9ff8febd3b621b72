from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.document import parse_document
from domain.curated.page import (
    MINIMUM,
    FaultKind,
    Fidelity,
    Page,
    PageKind,
    is_bullet,
    pointer_of,
    undated_line,
    with_date,
)
from tests.domain.curated.files import anything
from tests.pace import paced_s

DAYS = st.dates().map(lambda day: day.isoformat())


def fact(raw: str, kind: PageKind = PageKind.FACT) -> Page:
    return Page(kind, raw, 1, "")


@pytest.mark.req("X-132")
def test_kinds_fidelities_and_faults_are_those_of_the_choice() -> None:
    assert {each.value for each in PageKind} == {"section", "fact", "pointer"}
    assert {each.value for each in Fidelity} == {"full", "gist", "pointer", "absent"}
    assert set(MINIMUM) == set(PageKind)
    assert {each.value for each in FaultKind} == {
        "over_budget",
        "capped",
        "stale_table",
        "invalid_table",
        "missing_topic",
        "duplicate",
        "writeback_rejected",
        "denied",
    }


@pytest.mark.req("S1-22")
def test_a_bullet_that_points_to_a_topic_file_is_a_pointer(subtests: pytest.Subtests) -> None:
    for words, parts in [
        ("[Build quirks](build.md) — sccache breaks -Werror", ("Build quirks", "build.md", "sccache breaks -Werror")),
        ("[Build](build.md)", ("Build", "build.md", None)),
        ("[Build](build.md) - gist", ("Build", "build.md", "gist")),
        ("[Build](build.md): gist", ("Build", "build.md", "gist")),
    ]:
        with subtests.test(words=words):
            match = pointer_of(words)
            assert match is not None
            assert (match["title"], match["file"], match["gist"]) == parts

            page = parse_document(f"- {words}\n".encode()).pages[0]
            assert (page.kind, page.target, page.text) == (PageKind.POINTER, parts[1], words)


def test_any_other_link_is_a_fact_like_all_others(subtests: pytest.Subtests) -> None:
    for words in [
        "[Build](https://example.org/build.md)",
        "[Build](../build.md)",
        "[Build](build.txt)",
        "[Build](a b.md)",
        "see [Build](build.md)",
        "[Build](build.md) is long",
        "[](build.md)",
        "[[a]](build.md)",
    ]:
        with subtests.test(words=words):
            assert pointer_of(words) is None
            assert parse_document(f"- {words}\n".encode()).pages[0].kind is PageKind.FACT


def test_a_pointer_has_one_line() -> None:
    assert parse_document(b"- [Build](build.md)\n  and more\n").pages[0].kind is PageKind.FACT
    assert parse_document(b"- [Build](build.md)\n\n\n").pages[0].kind is PageKind.POINTER


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=30), DAYS, DAYS)
def test_a_date_is_no_part_of_the_words_and_is_put_in_the_place_of_an_earlier_one(
    words: str, day: str, later: str
) -> None:
    words = words.rstrip(" \t")
    bullet = with_date(f"- x{words}", day)

    assert fact(bullet).confirmed == day
    assert fact(bullet).text == fact(f"- x{words}").text
    assert with_date(bullet, later) == with_date(f"- x{words}", later)
    assert with_date(bullet, "") == f"- x{words}"


@given(anything)
def test_what_a_page_says_is_one_line_and_its_id_follows_from_it(data: bytes) -> None:
    for page in parse_document(data).pages:
        assert page.text == " ".join(page.text.split())
        assert page.id == Page(page.kind, page.raw, page.line + 7, "elsewhere").id
        assert len(page.id) == 8
        assert page.gist.startswith(page.first_line)
        assert "\n" not in page.gist
        assert bool(page.target) == (page.kind is PageKind.POINTER)


def test_the_id_differs_with_the_words_and_not_with_bullet_blanks_or_date() -> None:
    same = {fact(raw).id for raw in ("- a b", "*  a\n  b\n\n", "+ a b <!-- confirmed 2026-01-02 -->\r\n")}

    assert len(same) == 1
    assert fact("- a c").id not in same
    assert fact("a b", PageKind.SECTION).id not in same


def test_a_gist_says_that_there_is_more() -> None:
    assert fact("- a\r\n  b\n").gist == "- a …"
    assert fact("- a\r\n\n").gist == "- a"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *(("- a", True), ("*\ta", True), ("+  a", True), ("- -", False), ("- ", False), ("-", False), ("-a", False)),
        *((" - a", False), ("1. a", False), ("* * *", False), ("- - a", True), ("", False)),
    ],
)
def test_a_bullet_stands_outermost_and_says_something(line: str, expected: bool) -> None:
    assert is_bullet(line) is expected


def test_words_among_a_million_blanks_are_read_at_once() -> None:
    def read() -> None:
        page = fact("- a" + " " * 1_000_000 + "<!-- confirmed" + "\t" * 1_000_000)
        assert (page.text, page.confirmed) == ("a <!-- confirmed", "")
        assert with_date(page.raw.rstrip(), "") == page.raw.rstrip()

    assert paced_s(read) < 2


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"- a <!-- confirmed 2026-01-30 -->", b"- a"),
        (b"- \xff <!-- confirmed 2026-01-30 -->\r", b"- \xff\r"),
        (b"- a <!-- confirmed today -->", b"- a <!-- confirmed today -->"),
        (b"- \xff", b"- \xff"),
    ],
)
def test_a_line_of_any_bytes_is_known_without_its_day(line: bytes, expected: bytes) -> None:
    assert undated_line(line) == expected
