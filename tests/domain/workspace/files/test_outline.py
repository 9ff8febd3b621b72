from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.files.outline import (
    items,
    same_words,
    sections,
    seen,
    unique,
    with_items,
    without_sections,
)

PIECES = ["# A", "## B", "# Own", "### C", "- x", "  - y", "* z", "1. n", "words", "", "```", "~~~~", "<!-- c -->"]
MARKS = ["<!--", "-->", "---", "# A #", "    - deep", "\ufeff# A", "# ", "\xff", "- <!-- m -->"]
documents = st.builds(
    lambda lines, end: end.join(lines).encode("utf-8", "surrogateescape"),
    st.lists(st.sampled_from(PIECES + MARKS), max_size=14),
    st.sampled_from(["\n", "\r\n"]),
)
WORDS = ["x", "one", "two words", "x; y", "# hash", "1. n"]


@given(documents)
def test_lines_and_sections_together_are_the_file(data: bytes) -> None:
    assert "".join(line.raw for line in seen(data)).encode("utf-8", "surrogateescape") == data
    assert "".join(part.raw for part in sections(data, 2)).encode("utf-8", "surrogateescape") == data


@given(documents, st.lists(st.sampled_from(WORDS), max_size=3, unique=True), st.booleans())
def test_a_section_has_the_items_that_it_was_given_and_a_second_time_changes_nothing(
    data: bytes, wanted: list[str], prose: bool
) -> None:
    made = with_items(data, 1, {"A": wanted}, prose=prose)

    found = [item.text for part in sections(made, 1) if part.title == "A" for item in items(part, prose=prose)]
    assert sorted(found) == sorted(wanted)
    assert with_items(made, 1, {"A": wanted}, prose=prose) == made


@given(documents, st.lists(st.sampled_from(WORDS), max_size=3, unique=True))
def test_what_is_no_item_of_a_section_that_changes_keeps_its_bytes(data: bytes, wanted: list[str]) -> None:
    before = [part.raw for part in sections(data, 1) if part.title != "A"]
    after = [part.raw for part in sections(with_items(data, 1, {"A": wanted}), 1) if part.title != "A"]

    assert [raw.rstrip() for raw in after] == [raw.rstrip() for raw in before]


@pytest.mark.parametrize(
    ("data", "titles"),
    [
        (b"# A\n```\n# B\n```\n# C\n", ["", "A", "C"]),
        (b"# A\n~~~\n# B\n```\n# C\n~~~\n", ["", "A"]),
        (b"# A\n```\n# B\n", ["", "A", "B"]),
        (b"# A\n``` a`b\n# B\n```\n# C\n", ["", "A", "B", "C"]),
        (b"# A\n~~~ a~b\n# B\n~~~\n# C\n", ["", "A", "C"]),
        (b"# A\n````\n# B\n```\n# C\n", ["", "A", "B", "C"]),
        (b"# A\n`````\n# B\n```\n# C\n```\n# D\n", ["", "A", "B", "D"]),
        (b"# A\n<!-- x\n# B\n-->\n# C\n", ["", "A", "C"]),
        (b"# A\n<!-- x\n# B\n", ["", "A", "B"]),
        (b"# A\n<!-- x\n# B <!-- y -->\n", ["", "A", "B"]),
        (b"# A\r\n## B\r\n# C ##\r\n", ["", "A", "C"]),
        (b"#A\n    # B\n", [""]),
        (b"\xef\xbb\xbf# A\n", ["", "A"]),
    ],
)
def test_headings_count_where_a_reader_sees_them(data: bytes, titles: list[str]) -> None:
    assert [part.title for part in sections(data, 1)] == titles


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("- a\n- b\n", ["a", "b"]),
        ("- **a** is 1. Then b\n", ["**a** is 1. Then b"]),
        ("**Why.** A 2) b\nand *c* d\n", ["**Why.** A 2) b and *c* d"]),
        ("- a\n\n  more\n\n  - deep\n- b\n", ["a more; deep", "b"]),
        ("- a\n\nmore\n", ["a", "more"]),
        ("- a\n<!-- m -->\nmore\n\n<!-- n -->\nother\n", ["a more", "other"]),
        ("- `<!--` a\n- b `-->`\n", ["`<!--` a", "b `-->`"]),
        ("- a\n  more\n- b\n", ["a more", "b"]),
        ("- rules:\n  - one\n  - two\n", ["rules: one; two"]),
        ("* a\n+ b\n2. c\n3) d\n", ["a", "b", "c", "d"]),
        ("words\nof one\n\nand two\n", ["words of one", "and two"]),
        ("- a <!-- m:1 -->\n<!-- c -->\n- <!-- c -->\n", ["a"]),
        ("### Sub\n- a\n---\n- b\n", ["a", "b"]),
        ("```\nmake all\nmake test\n```\n", ["make all; make test"]),
        ("rules:\n- one\n", ["rules:", "one"]),
        ("```\na\n---\nb\n```\n", ["a; ---; b"]),
        ("- a\n\nwords\n", ["a", "words"]),
    ],
)
def test_items_are_bullets_and_paragraphs(body: str, expected: list[str]) -> None:
    (_, part) = sections(f"# A\n{body}".encode(), 1)

    assert [item.text for item in items(part, prose=True)] == expected


def test_without_prose_only_bullets_are_items() -> None:
    (_, part) = sections(b"# A\nwords\n\n- a\n\nmore\n```\nx\n```\n", 1)

    assert [item.text for item in items(part)] == ["a"]


def test_a_new_section_comes_in_before_the_next_that_is_there() -> None:
    data = b"# Own\nx\n# C\n- c\n# Last\n"

    made = with_items(data, 1, {"A": ["a"], "C": ["c"], "D": ["d"], "E": []})

    assert made == b"# Own\nx\n\n# A\n- a\n\n# C\n- c\n\n# D\n- d\n\n# Last\n"


def test_new_lines_end_as_the_files_do() -> None:
    assert with_items(b"# A\r\n- a\r\n", 1, {"A": ["a", "b"]}) == b"# A\r\n- a\r\n- b\r\n"
    assert with_items(b"# A\n- a", 1, {"A": ["a", "b"]}) == b"# A\n- a\n- b\n"


def test_items_in_another_order_are_written_anew_only_where_their_order_counts() -> None:
    data = b"# A\n* x\n* y\n"

    assert with_items(data, 1, {"A": ["y", "x"]}) == b"# A\n- y\n- x\n"
    assert with_items(data, 1, {"A": ["y", "x"]}, ordered=False) == data


def test_comments_and_headings_below_a_heading_stay() -> None:
    data = b"# A\n<!-- what it is for -->\n- old\n## Sub\n- gone\n"

    assert with_items(data, 1, {"A": ["new"]}) == b"# A\n<!-- what it is for -->\n- new\n\n## Sub\n"


def test_of_two_sections_with_one_title_each_keeps_its_items() -> None:
    data = b"# A\n- a\n# Own\n# a:\n- b\n"

    assert with_items(data, 1, {"A": ["a", "b", "c"]}) == b"# A\n- a\n# Own\n# a:\n- b\n- c\n"


def test_a_section_at_the_end_goes_with_the_blank_lines_before_it() -> None:
    assert without_sections(b"# A\nx\n\n\n# B\n", 1, lambda part: part.title == "B") == b"# A\nx\n"
    assert without_sections(b"# A\n# B\n", 1, lambda part: part.title == "C") == b"# A\n# B\n"


def test_the_same_words_are_the_same_whatever_their_signs() -> None:
    assert same_words("No deploys, on Friday!") == same_words("no deploys on friday")
    assert same_words("…") != same_words("!")
    assert unique(["A b", "a, b.", "c"], ["C!"]) == ["A b"]


def test_a_section_says_what_stands_below_its_heading() -> None:
    above, part = sections(b"intro\n# A\n<!-- c -->\n- a\n\n", 1)

    assert above.text == "intro"
    assert part.text == "- a"
    assert part.raw == "# A\n<!-- c -->\n- a\n\n"


def test_a_section_without_one_to_come_before_comes_after_the_last_that_goes_before_it() -> None:
    data = b"# A\n- a\n# B\n- b\n# Mine\n"

    made = with_items(data, 1, {"A": ["a"], "B": ["b"], "C": ["c"]})

    assert [part.title for part in sections(made, 1)] == ["", "A", "B", "C", "Mine"]
    assert with_items(b"# Mine", 1, {"A": ["a"]}) == b"# Mine\n\n# A\n- a\n"


def test_items_that_stay_keep_their_bytes_beside_new_ones() -> None:
    data = b"# A\n+  x <!-- m -->\n\n* y\n"

    assert with_items(data, 1, {"A": ["x", "z"]}) == b"# A\n+  x <!-- m -->\n- z\n\n"
    assert with_items(data, 1, {"A": ["x", "y", "z"]}) == data + b"- z\n"


def test_of_items_that_are_the_same_one_stays() -> None:
    data = b"# A\n+ x\n* x\n# A\n- x\n- y\n"

    assert with_items(data, 1, {"A": ["x", "y"]}) == b"# A\n+ x\n# A\n- y\n"
    assert with_items(data, 1, {"A": ["y", "x"]}, ordered=False) == b"# A\n+ x\n# A\n- y\n"


def test_a_section_comes_in_before_the_nearest_of_those_that_follow() -> None:
    assert with_items(b"# B\n# C\n", 1, {"A": ["a"], "B": [], "C": []}) == b"# A\n- a\n\n# B\n# C\n"
