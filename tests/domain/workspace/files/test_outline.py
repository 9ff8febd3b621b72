from __future__ import annotations

import pytest
from hypothesis import given

from domain.workspace.files.outline import items, read_lines, sections
from tests.domain.workspace.files.documents import documents
from tests.pace import paced_s


@given(documents)
def test_lines_and_sections_together_are_the_file(data: bytes) -> None:
    assert "".join(line.raw for line in read_lines(data)).encode("utf-8", "surrogateescape") == data
    assert "".join(part.raw for part in sections(data, 2)).encode("utf-8", "surrogateescape") == data


def test_headings_count_where_a_reader_sees_them(subtests: pytest.Subtests) -> None:
    for data, titles in [
        (b"# A\n```\n# B\n```\n# C\n", ["", "A", "C"]),
        (b"# A\n~~~\n# B\n```\n# C\n~~~\n", ["", "A"]),
        (b"# A\n```\n# B\n", ["", "A", "B"]),
        (b"# A\n``` a`b\n# B\n```\n# C\n", ["", "A", "B", "C"]),
        (b"# A\n~~~ a~b\n# B\n~~~\n# C\n", ["", "A", "C"]),
        (b"# A\n````\n# B\n```\n# C\n", ["", "A", "B", "C"]),
        (b"# A\n`````\n# B\n```\n# C\n```\n# D\n", ["", "A", "B", "D"]),
        (b"# A\n<!-- x\n# B\n-->\n# C\n", ["", "A", "C"]),
        (b"# A\n<!-- x\n# B\n", ["", "A", "B"]),
        (b"# A\n<!-- like this:\n```\n-->\n# B\n```\n# C\n```\n# D\n", ["", "A", "B", "D"]),
        (b"# A\n```\n<!--\n```\n# B\n-->\n# C\n", ["", "A", "B", "C"]),
        (b"# A\n<!-- a --># B\n<!-- b\n--> # C\n", ["", "A"]),
        (b"# A\n- ```\n# B\n  ```\n# C\n", ["", "A", "C"]),
        (b"# A\n<!-- x\n# B <!-- y -->\n", ["", "A", "B"]),
        (b"# A\r\n## B\r\n# C ##\r\n", ["", "A", "C"]),
        (b"#A\n    # B\n", [""]),
        (b"\xef\xbb\xbf# A\n", ["", "A"]),
        (b"---\ntitle: x\n# B\n---\n# C\n", ["", "C"]),
        (b"\xef\xbb\xbf```\n# B\n```\n# C\n", ["", "C"]),
        (b"---\n# B\n", ["", "B"]),
    ]:
        with subtests.test(data=data, titles=titles):
            assert [part.title for part in sections(data, 1)] == titles


def test_items_are_bullets_and_paragraphs(subtests: pytest.Subtests) -> None:
    for body, expected in [
        ("- a\n- b\n", ["a", "b"]),
        ("- **a** is 1. Then b\n", ["**a** is 1. Then b"]),
        ("**Why.** A 2) b\nand *c* d\n", ["**Why.** A 2) b and *c* d"]),
        ("- a\n\n  more\n\n  - deep\n- b\n", ["a more; deep", "b"]),
        ("- a\n\nmore\n", ["a", "more"]),
        ("- a\n<!-- m -->\nmore\n\n<!-- n -->\nother\n", ["a more", "other"]),
        ("- `<!--` a\n- b `-->`\n", ["`<!--` a", "b `-->`"]),
        ("- a\n  more\n- b\n", ["a more", "b"]),
        ("- rules:\n  - one\n  - two\n", ["rules: one; two"]),
        ("* a\n+ b\n\n2. c\n3) d\n", ["a", "b", "c", "d"]),
        ("1. a\n2. b\n2. c\n4. d\n1. e\n", ["a", "b", "c", "d", "e"]),
        ("- off until the\n24. December, and cold\n", ["off until the 24. December, and cold"]),
        ("off until the\n24. December\n", ["off until the 24. December"]),
        ("1. off until the\n24. December\n", ["off until the 24. December"]),
        ("- off until\n  24. December\n- b\n", ["off until 24. December", "b"]),
        ("- steps:\n  1. one\n  2. two\n", ["steps: 1. one; 2. two"]),
        ("- ```\n  x\n  ```\n- b\n", ["x", "b"]),
        ("words\nof one\n\nand two\n", ["words of one", "and two"]),
        ("- a <!-- m:1 -->\n<!-- c -->\n- <!-- c -->\n", ["a"]),
        ("### Sub\n- a\n---\n- b\n", ["a", "b"]),
        ("```\nmake all\nmake test\n```\n", ["make all; make test"]),
        ("rules:\n- one\n", ["rules:", "one"]),
        ("```\na\n---\nb\n```\n", ["a; ---; b"]),
        ("```\na\n\nb\n```\nc\n", ["a; b", "c"]),
        ("- a\n\nwords\n", ["a", "words"]),
    ]:
        with subtests.test(body=body, expected=expected):
            (_, part) = sections(f"# A\n{body}".encode(), 1)

            assert [item.text for item in items(part, prose=True)] == expected


def test_without_prose_only_bullets_are_items() -> None:
    (_, part) = sections(b"# A\nwords\n\n- a\n\nmore\n```\nx\n```\n", 1)

    assert [item.text for item in items(part)] == ["a"]


def test_a_section_says_what_stands_below_its_heading() -> None:
    above, part = sections(b"intro\n# A\n<!-- c -->\n- a\n\n", 1)

    assert above.text == "intro"
    assert part.text == "- a"
    assert part.raw == "# A\n<!-- c -->\n- a\n\n"


def test_fences_that_were_written_to_cost_time_cost_little(subtests: pytest.Subtests) -> None:
    for signs in ["~", "`"]:
        with subtests.test(signs=signs):
            falling = b"".join(
                signs.encode() * (653 - number) + (b"x\n" if signs == "~" else b"\n") for number in range(650)
            )
            data = falling[: 1 << 18] + (signs * 3).encode() + b"x\n" * 9_300

            def read(data: bytes = data) -> None:
                for _ in range(5):
                    assert len(read_lines(data)) > 1_000

            assert paced_s(read) < 1.5
