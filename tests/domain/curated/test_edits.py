from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.curated.document import Document, parse_document
from domain.curated.edits import SECTION, fix_fact, sections, the_fact, with_fact, with_page, without_fact
from domain.curated.page import Page, PageKind, Scope, with_date
from domain.curated.refusal import flaw_of_fact, flaw_of_section
from domain.edit.lines import BOM, EditRefusedError
from domain.text.lines import decode_text, one_line
from domain.text.markdown.lines import heading_words
from tests.domain.curated.files import anything, words

FACTS = words.map(one_line).filter(lambda text: not flaw_of_fact(text, Scope.GLOBAL))
SECTIONS = st.one_of(
    st.sampled_from(["", "Build", "BUILD", "Linux", "Index", "Remembered", "C#", "New"]),
    words.map(one_line).filter(lambda text: not flaw_of_section(text, Scope.GLOBAL)),
)
DAYS = st.sampled_from(["", "2026-03-04"])


def lines_with_words(data: bytes) -> Counter[bytes]:
    return Counter(line.rstrip(b"\r") for line in data.removeprefix(BOM).split(b"\n") if decode_text(line).strip())


def heading_of(document: Document, text: str) -> str:
    """The heading that the fact with these words stands right below, with its signs."""
    heading = ""
    for page in document.pages:
        if page.kind is PageKind.SECTION and heading_words(page.first_line) is not None:
            heading = page.first_line
        elif page.kind is not PageKind.SECTION and page.text == text:
            return heading
    raise AssertionError(text)


@st.composite
def files_with_a_fact(draw: st.DrawFn) -> tuple[bytes, Page]:
    data = draw(anything)
    if not parse_document(data).facts or parse_document(data).duplicates:
        data = b"## Build\n- one\n  more\n\n- two\n\n# Other\n"
    return data, draw(st.sampled_from(parse_document(data).facts))


@given(anything, FACTS, SECTIONS, DAYS)
@pytest.mark.req("S1-47")
def test_a_fact_is_added_once_and_every_line_that_was_there_stays(
    data: bytes, text: str, section: str, day: str
) -> None:
    before = parse_document(data)
    new_data = with_fact(data, text, section, day)
    after = parse_document(new_data)

    assert with_fact(new_data, text, section, day) == new_data
    assert sum(page.text == text for page in after.facts) == max(1, sum(page.text == text for page in before.facts))
    if text in {page.text for page in before.facts}:
        assert new_data == data
        return
    assert Counter(page.text for page in after.facts) - Counter(page.text for page in before.facts) == {text: 1}
    assert len(after.facts) == len(before.facts) + 1
    assert not lines_with_words(data) - lines_with_words(new_data)
    assert next(page for page in after.facts if page.text == text).confirmed == day


@given(anything, FACTS, SECTIONS, DAYS)
@pytest.mark.req("S1-21")
def test_an_added_fact_stands_right_below_a_heading_of_level_two_with_the_words_of_its_section(
    data: bytes, text: str, section: str, day: str
) -> None:
    assume(text not in {page.text for page in parse_document(data).facts})
    after = parse_document(with_fact(data, text, section, day))
    heading = heading_of(after, text)

    assert heading.startswith("##")
    assert heading[2:3] in (" ", "\t")
    assert (heading_words(heading) or "").casefold() == (section or SECTION).casefold()


@given(anything, FACTS, FACTS, SECTIONS)
def test_two_facts_of_one_section_stand_in_the_order_in_which_they_came(
    data: bytes, first: str, second: str, section: str
) -> None:
    assume(first != second and not {first, second} & {page.text for page in parse_document(data).facts})
    new_data = with_fact(with_fact(data, first, section), second, section)
    texts = [page.text for page in parse_document(new_data).facts]

    assert texts.index(second) == texts.index(first) + 1
    assert len(sections(parse_document(new_data))) <= len(sections(parse_document(data))) + 1


def test_a_fact_goes_to_the_end_of_its_section(subtests: pytest.Subtests) -> None:
    for data, section, new_data in [
        (b"", "", b"## Remembered\n\n- new\n"),
        (b"# Index", "", b"# Index\n\n## Remembered\n\n- new\n"),
        (b"- a\n", "Build", b"- a\n\n## Build\n\n- new\n"),
        (b"## Build\n", "Build", b"## Build\n\n- new\n"),
        (b"## Build\n- a\n\n## Test\n- b\n", "build", b"## Build\n- a\n- new\n\n## Test\n- b\n"),
        (b"## Build\n- a\n### Linux\n- b\n## Test\n", "Build", b"## Build\n- a\n- new\n### Linux\n- b\n## Test\n"),
        (b"## A\n### Build\n- a\n", "Build", b"## A\n### Build\n- a\n\n## Build\n\n- new\n"),
        (b"# Build\n- a\n", "Build", b"# Build\n- a\n\n## Build\n\n- new\n"),
        (b"## Build\n- a\n## A\n### Build\n- b\n", "Build", b"## Build\n- a\n- new\n## A\n### Build\n- b\n"),
        (b"## Build\r\n- a\r\n", "Build", b"## Build\r\n- a\r\n- new\r\n"),
        (b"## Build\n- a", "Build", b"## Build\n- a\n- new\n"),
        (b"## Build\n- a\n\nprose\n", "Build", b"## Build\n- a\n\nprose\n\n- new\n"),
        (b"\xef\xbb\xbf## Build\n", "Build", b"\xef\xbb\xbf## Build\n\n- new\n"),
        (b"```\n## Build\n```\n", "Build", b"```\n## Build\n```\n\n## Build\n\n- new\n"),
        (b"## Build\n- a\n\n```\n- b\n```\n", "Build", b"## Build\n- a\n\n```\n- b\n```\n\n- new\n"),
        (b"\xff\0", "Build", b"\xff\0\n\n## Build\n\n- new\n"),
    ]:
        with subtests.test(data=data):
            assert with_fact(data, "new", section) == new_data


@given(files_with_a_fact())
def test_without_a_fact_all_lines_of_others_stay(drawn: tuple[bytes, Page]) -> None:
    data, page = drawn
    new_data = without_fact(data, page)

    assert lines_with_words(data) - lines_with_words(new_data) == lines_with_words(
        page.raw.encode("utf-8", "surrogateescape")
    )
    assert not lines_with_words(new_data) - lines_with_words(data)
    assert [each.text for each in parse_document(new_data).facts] == [
        each.text for each in parse_document(data).facts if each.text != page.text
    ]
    assert without_fact(new_data, page) == new_data


@given(anything, FACTS, SECTIONS)
def test_a_fact_that_is_added_and_taken_out_leaves_the_lines_as_they_were(data: bytes, text: str, section: str) -> None:
    assume(text not in {page.text for page in parse_document(data).facts})
    new_data = with_fact(data, text, section)
    back = without_fact(new_data, the_page(new_data, text))

    assert [page.text for page in parse_document(back).facts] == [page.text for page in parse_document(data).facts]
    assert not lines_with_words(data) - lines_with_words(back)
    assert sum((lines_with_words(back) - lines_with_words(data)).values()) <= 1, "at most its section's heading is left"


@pytest.mark.req("X-75")
def test_a_wrong_fact_is_deleted_and_nothing_else(subtests: pytest.Subtests) -> None:
    for data, new_data in [
        (b"- gone\n", b""),
        (b"- a\n- gone\n- b\n", b"- a\n- b\n"),
        (b"- a\n- gone\n\n# B\n", b"- a\n\n# B\n"),
        (b"- a\n\n- gone\n\n- b\n", b"- a\n\n- b\n"),
        (b"- a\n- gone\n\n```\ncode\n```\n", b"- a\n\n```\ncode\n```\n"),
        (b"- gone <!-- confirmed 2026-01-02 -->\r\n- b\r\n", b"- b\r\n"),
        (b"- a\n* gone", b"- a\n"),
    ]:
        with subtests.test(data=data):
            assert without_fact(data, the_page(data, "gone")) == new_data


@given(files_with_a_fact(), FACTS, DAYS)
@pytest.mark.req("S1-47")
def test_other_words_stand_in_the_same_place_and_all_other_facts_stay(
    drawn: tuple[bytes, Page], text: str, day: str
) -> None:
    data, page = drawn
    assume(text not in {each.text for each in parse_document(data).facts})
    new_data = fix_fact(data, page, text, day)
    before, after = parse_document(data), parse_document(new_data)

    assert [each.text for each in after.facts] == [
        text if each.text == page.text else each.text for each in before.facts
    ]
    assert [each.raw for each in after.pages if each.kind is PageKind.SECTION] == [
        each.raw for each in before.pages if each.kind is PageKind.SECTION
    ]
    assert next(each for each in after.facts if each.text == text).confirmed == day
    assert fix_fact(new_data, page, text, day) == new_data


@pytest.mark.parametrize(
    ("data", "new_data"),
    [
        (b"- a\n* old\n  more\n\n# B\n", b"- a\n* new <!-- confirmed 2026-03-04 -->\n\n# B\n"),
        (b"- old more", b"- new <!-- confirmed 2026-03-04 -->"),
        (b"+ old more <!-- confirmed 2020-01-01 -->\r\n", b"+ new <!-- confirmed 2026-03-04 -->\r\n"),
    ],
)
def test_a_fixed_fact_keeps_its_bullet_and_the_file_its_line_ends(data: bytes, new_data: bytes) -> None:
    assert fix_fact(data, the_page(data, "old more"), "new", "2026-03-04") == new_data


def test_of_two_facts_with_the_same_words_the_one_in_the_same_section_is_meant() -> None:
    data = b"## A\n- x\n## B\n- x\n"
    page = parse_document(data).facts[1]

    assert without_fact(data, page) == b"## A\n- x\n## B\n"
    assert fix_fact(data, page, "y") == b"## A\n- x\n## B\n- y\n"


@given(files_with_a_fact(), anything, SECTIONS)
def test_a_page_is_taken_over_with_all_its_lines_once(drawn: tuple[bytes, Page], data: bytes, section: str) -> None:
    page = drawn[1]
    assume("```" not in page.raw and "~~~" not in page.raw)
    new_data = with_page(data, page, section)

    assert with_page(new_data, page, section) == new_data
    assert not lines_with_words(data) - lines_with_words(new_data)
    if page.text in {each.text for each in parse_document(data).facts}:
        assert new_data == data
        return
    assert len(parse_document(new_data).facts) == len(parse_document(data).facts) + 1
    assert not lines_with_words(page.raw.encode("utf-8", "surrogateescape")) - lines_with_words(new_data)
    assert (heading_words(heading_of(parse_document(new_data), page.text)) or "").casefold() == (
        section or SECTION
    ).casefold()


def test_the_bare_lines_of_a_page_are_moved_without_the_empty_ones_behind() -> None:
    page = parse_document(b"## A\n- x <!-- confirmed 2026-01-02 -->\n  more\n\n\n## B\n").facts[0]

    new_data = b"## Archived\n\n- x <!-- confirmed 2026-01-02 -->\n  more\n"
    assert with_page(b"", page, "Archived") == new_data


@given(files_with_a_fact())
def test_a_fact_is_found_by_its_words_and_by_its_id(drawn: tuple[bytes, Page]) -> None:
    data, page = drawn
    document = parse_document(data)
    if one_line(page.text) == page.text:
        assert the_fact(document, page.text) == page
        assert the_fact(document, f"- {page.text}") == page
    assert the_fact(document, page.id).id == page.id


@given(anything, st.text(max_size=10))
def test_whoever_asks_for_a_fact_gets_one_of_the_file_or_none(data: bytes, wanted: str) -> None:
    document = parse_document(data)
    with suppress(EditRefusedError):
        assert the_fact(document, wanted) in document.facts


def test_none_and_several_are_refused(subtests: pytest.Subtests) -> None:
    for wanted, rule in [
        ("", "no words"),
        ("- ", "no words"),
        ("sccache", "2 facts"),
        ("nothing", "no fact"),
        ("0" * 8, "no fact"),
    ]:
        with subtests.test(asked=wanted), pytest.raises(EditRefusedError, match=rule):
            the_fact(parse_document(b"- sccache is on\n- sccache is fast\n"), wanted)


def test_words_that_only_one_fact_has_are_enough() -> None:
    document = parse_document(b"- sccache is on\n- sccache is fast\n- sccache is fast too\n")

    assert the_fact(document, "IS ON").text == "sccache is on"
    assert the_fact(document, "sccache  is\nfast").text == "sccache is fast", "all of its words count more than some"


@pytest.mark.req("X-206")
def test_letters_with_accents_of_their_own_name_the_same_fact_and_section() -> None:
    data = "## Cafe\u0301\n- Rene\u0301 brews\n- Rene\u0301 brews twice\n".encode()
    document = parse_document(data)
    assert the_fact(document, "Ren\u00e9 brews").text == "Rene\u0301 brews"
    assert the_fact(document, "REN\u00c9 BREWS TW").text == "Rene\u0301 brews twice"
    added = with_fact(data, "tea on Sundays", "Caf\u00e9")
    assert added == data + b"- tea on Sundays\n"
    assert with_fact(data, "Ren\u00e9 brews", "Caf\u00e9") == data
    assert with_page(data, parse_document("- Ren\u00e9 brews\n".encode()).facts[0]) == data


def test_only_headings_of_level_two_are_sections() -> None:
    assert sections(parse_document(b"# A\n## B\n- x\n## C ##\n### D\n## B\n##\n##\tE\n")) == ("B", "C", "E")


def test_a_dated_fact_is_the_same_fact() -> None:
    data = with_fact(b"", "x", day="2026-03-04")

    assert data.endswith(b"- x <!-- confirmed 2026-03-04 -->\n")
    assert with_fact(data, "x", day="2026-05-06") == data
    assert fix_fact(data, the_page(data, "x"), "x", "2026-05-06").decode() == data.decode().replace("03-04", "05-06")
    assert with_date("- x", "") == "- x"


def the_page(data: bytes, text: str) -> Page:
    return next(page for page in parse_document(data).facts if page.text == text)
