from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.sections import Item, Section, bullets, items, sections, without_comments

PIECES = st.sampled_from(
    [
        "# A",
        "## B ##",
        "### c",
        "text",
        "- one",
        "  more",
        "```",
        "~~~",
        "<!--",
        "-->",
        "`<!--`",
        "---",
        "",
        " ",
        "\r",
        "\ufeff",
    ]
)


def headings(text: str) -> list[str]:
    return [section.heading for section in sections(text)]


def shown(text: str) -> list[str]:
    [section] = sections(text)
    return [item.text for item in items(section)]


@given(st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\r\n", ""]))).map(lambda parts: "".join(map("".join, parts))))
def test_the_sections_of_a_file_are_the_file(text: str) -> None:
    assert "".join(section.head + section.text for section in sections(text)) == text


def test_a_section_has_its_heading_level_line_and_text_with_the_files_own_line_breaks() -> None:
    assert sections("\ufeffbefore\r\n# A #\r\none\r\n##\tB\r\n") == (
        Section("", 0, 1, "\ufeffbefore\r\n", ""),
        Section("A", 1, 2, "one\r\n", "# A #\r\n"),
        Section("B", 2, 4, "", "##\tB\r\n"),
    )
    assert sections("\ufeff# A")[0].heading == "A"
    assert sections("") == ()


@pytest.mark.parametrize(
    "hidden",
    [
        *("```\n# no\n```\n", "~~~ sh\n# no\n```\n~~~\n", "````\n```\n# no\n````\n", "- a\n  ```\n# no\n  ```\n"),
        *("<!--\n# no\n-->\n", "<!-- a --> # no\n", "#no\n", "    # no\n", "\\# no\n", "```\n# never closed"),
        *("```\n<!--\n```\n```\n# no\n-->\n```\n", "- ```\n  # no\n  ```\n", "####### no\n"),
    ],
)
def test_what_no_reader_sees_as_a_heading_is_none(hidden: str) -> None:
    assert headings(f"# A\n{hidden}") == ["A"]


@pytest.mark.parametrize(
    "before",
    [
        *("<!-- never closed\n", "`<!--`\n", "``` a `\n", "```\n<!--\n```\n", "<!-- ``` -->\n", "<!--\n```\n-->\n"),
        *("~~~\n~~~\n", "text\n", "`` ` <!-- ``\n"),
    ],
)
def test_a_heading_after_what_looks_like_code_or_a_comment_is_one(before: str) -> None:
    assert headings(f"# A\n{before}# B\n") == ["A", "B"]


def test_headings_begin_a_section_as_deep_as_they_are_asked_for() -> None:
    text = "# A\n## B\n### C\n"
    assert headings(text) == ["A", "B"]
    assert [section.level for section in sections(text, 3)] == [1, 2, 3]
    assert [section.heading for section in sections(text, 1)] == ["A"]


def test_a_headings_comment_is_not_of_its_title() -> None:
    assert headings("# State <!-- keep -->\n") == ["State"]


def test_comments_are_no_content_but_in_code_they_are_text() -> None:
    text = "one <!-- m:1 -->\r\n<!--\r\ntwo -->\r\nthree `<!-- x -->`\r\n```\n<!-- y -->\n```\n"
    assert without_comments(text) == "one \r\nthree `<!-- x -->`\r\n```\n<!-- y -->\n```\n"
    assert sections(f"# A\n<!-- a\n-->\n\nb\n\n{text}")[0].content.startswith("b\n\none")


def test_an_item_is_a_bullet_with_what_is_below_it_or_a_paragraph() -> None:
    [section] = sections(
        "# A\n\n- one <!-- m:1 -->\nlazy\n  - sub\n\n  still\n* [x] two\n3. three\n\npara\nline\n\nother\n"
    )
    assert items(section) == (
        Item("one\nlazy\n  - sub\n  still", 3, is_bullet=True),
        Item("two", 8, is_bullet=True),
        Item("three", 9, is_bullet=True),
        Item("para\nline", 11, is_bullet=False),
        Item("other", 14, is_bullet=False),
    )
    assert bullets(section) == ("one\nlazy\n  - sub\n  still", "two", "three")


def test_items_before_the_first_heading_have_their_lines_too() -> None:
    [section] = sections("\n- one\n- two\n")
    assert [item.line for item in items(section)] == [2, 3]


def test_code_belongs_to_what_it_stands_below_and_its_lines_are_no_bullets() -> None:
    assert shown("# A\nrun:\n```\n- no\n\n# no\n```\n\nnext\n") == ["run:\n```\n- no\n\n# no\n```", "next"]
    assert shown("# A\n```\ncode\n```\n") == ["```\ncode\n```"]


def test_rules_and_deeper_headings_part_items_and_are_none() -> None:
    assert shown("# A\none\n---\ntwo\n### B\nthree\n* * *\n- four\n***\n  five\n") == [
        "one",
        "two",
        "three",
        "four",
        "five",
    ]


def test_a_template_has_no_items() -> None:
    assert shown("# A\n<!-- What is being done now.\n- one item -->\n\n") == []


@pytest.mark.parametrize(
    "text",
    ["<!--", "`a` <!--\n", "```\n```\n", "`a`\n```\n```\n", "<!-- a -->", "`` ` ", "` <!-- ` -->", "<!-- a --> ` "],
)
def test_a_text_that_was_written_to_cost_time_costs_little(text: str) -> None:
    for whole in (text * (200_000 // len(text)), text * (200_000 // len(text)) + "\n<!-- end -->"):
        began = time.process_time()
        assert sections(whole)
        assert time.process_time() - began < 4.0
