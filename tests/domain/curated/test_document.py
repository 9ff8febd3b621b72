from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.document import parse_document
from domain.curated.page import PageKind
from domain.text.lines import decode_text, encode_text, lines_of
from domain.text.markdown.lines import heading_words
from tests.domain.curated.files import anything, markdown
from tests.pace import paced_s

EXAMPLE = b"""Before.

# Index

## Build

- Use `make`
- [Quirks](quirks.md) - sccache
  and more

  indented
After the list.

- [Quirks](quirks.md) - sccache

```sh
- no fact
# no heading
```
## Empty
"""
SIZE = 256 * 1024
"""Bytes, a sixteenth of what a file may have: work that grows by the square takes far longer than its limit even so."""
_GROWING = b"".join(b"`" * count + b"\n" for count in range(3, 375))
_SHRINKING = b"".join(b"`" * count + b"\n" for count in range(375, 2, -1))
_HOSTILE = {
    "marks": b"`\n" * (SIZE // 2),
    "fences": b"```\n" * (SIZE // 4),
    "fences that nothing closes": b"```x\n~~~x\n" * (SIZE // 10),
    "ever longer fences": _GROWING * 4,
    "ever shorter fences": _SHRINKING * 4,
    "ever shorter fences before many lines": _SHRINKING + b"\n" * (SIZE // 2),
    "fences in turn": b"```x\n~~~\n" * (SIZE // 9),
    "facts": b"- a\n" * (SIZE // 4),
    "headings": b"# a\n" * (SIZE // 4),
    "a heading of signs": b"# a" + b" #" * (SIZE // 2) + b"x",
    "a heading of blanks": b"# a" + b" \t" * (SIZE // 2) + b"x",
    "a fact of blanks": b"- [" + b" " * SIZE + b"x",
    "a fact of brackets": b"- [a](b.md) " * (SIZE // 12),
    "deep nesting": b"".join(b" " * depth + b"- a\n" for depth in range(1400)),
    "lists and prose": b"- a\n\nb\n" * (SIZE // 7),
    "empty lines": b"\n" * SIZE,
    "one line": b"\xff\0`" * (SIZE // 3),
}


@given(anything)
def test_the_pages_of_a_file_give_the_same_bytes_again(data: bytes) -> None:
    assert bytes(parse_document(data)) == data


@given(anything)
def test_pages_know_the_line_at_which_they_begin(data: bytes) -> None:
    document, line = parse_document(data), 1
    for page in document.pages:
        assert page.raw
        assert page.line == line
        line += page.raw.count("\n")


@given(markdown)
def test_a_file_that_is_read_again_has_the_same_pages(data: bytes) -> None:
    assert parse_document(bytes(parse_document(data))) == parse_document(data)


@given(anything)
def test_the_facts_are_all_pages_but_the_sections(data: bytes) -> None:
    document = parse_document(data)
    assert document.facts == tuple(page for page in document.pages if page.kind is not PageKind.SECTION)
    assert len({page.text for page in document.facts}) + len(document.duplicates) == len(document.facts)


@given(st.binary(max_size=100))
def test_text_of_any_bytes_gives_these_again(data: bytes) -> None:
    assert encode_text(*lines_of(decode_text(data))) == data


@pytest.mark.req("S1-21", "S1-23")
def test_one_bullet_is_one_fact_below_the_heading_that_it_stands_under() -> None:
    kinds = [(page.kind.value, page.section, page.line) for page in parse_document(EXAMPLE).pages]

    assert kinds == [
        ("section", "", 1),
        ("section", "Index", 3),
        ("section", "Build", 5),
        ("fact", "Build", 7),
        ("fact", "Build", 8),
        ("pointer", "Build", 14),
        ("section", "Build", 16),
        ("section", "Empty", 20),
    ]


def test_a_code_block_behind_a_list_is_of_its_fact_only_if_it_is_indented() -> None:
    assert [page.raw for page in parse_document(b"- a\n\n```\n\nb\n```\n- c\n").pages] == [
        "- a\n\n",
        "```\n\nb\n```\n",
        "- c\n",
    ]
    assert [page.raw for page in parse_document(b"- a\n\n  ```\n  b\n  ```\n- c\n").pages][1:] == ["- c\n"]


def test_a_fact_that_stands_twice_is_a_duplicate_in_its_later_places() -> None:
    document = parse_document(b"- a\n- b\n## X\n* a\n- a\n")

    assert [page.line for page in document.duplicates] == [4, 5]


def test_a_bullet_in_a_code_block_a_comment_or_front_matter_is_no_fact(subtests: pytest.Subtests) -> None:
    for data, facts in [
        (b"```\n- a\n```\n- b\n", ["b"]),
        (b"```\n- a\n- b\n", ["a", "b"]),
        (b"````\n```\n- a\n````\n- b", ["b"]),
        (b"~~~\n```\n- a\n~~~\n- b\n", ["b"]),
        (b"```x``` in a line\n- a\n```\n- b\n", ["a ```", "b"]),
        (b"  ```\n- a\n  ```  \n- b\n", ["b"]),
        (b"```\r\n- a\r\n```\r\n- b\r\n", ["b"]),
        (b"- a\n  ```\n- b\n  ```\n- c\n", ["a ``` - b ```", "c"]),
        (b"``` \n```x\n- a\n```\n- b\n", ["b"]),
        (b"<!-- off:\n- a\n-->\n- b\n", ["b"]),
        (b"- a <!-- on\n- b\n-->\n- c\n", ["a <!-- on - b -->", "c"]),
        (b"<!--\n- a\n", ["a"]),
        (b"---\ntags:\n- a\n---\n- b\n", ["b"]),
        (b"\xef\xbb\xbf---\n- a\n---\n- b\n", ["b"]),
        (b"```\n<!--\n```\n- a\n-->\n", ["a -->"]),
        (b"- ```\n- a\n```\n", ["```", "a ```"]),
        (b"* * *\n- - -\n- \n-\n-a\n", []),
        (b"\xef\xbb\xbf- a\n", ["a"]),
        (b"- a\n\nprose\n- b\nlazily\n", ["a", "b lazily"]),
        (b"- \0\xff\n", ["\0\udcff"]),
    ]:
        with subtests.test(data=data):
            assert [page.text for page in parse_document(data).facts] == facts


def test_a_heading_has_one_to_six_signs_and_a_blank_before_its_words(subtests: pytest.Subtests) -> None:
    for line, words in [
        ("# A", "A"),
        ("###### A b \r\n", "A b"),
        ("## A ##", "A"),
        ("## A ## ", "A"),
        ("## C#", "C#"),
        ("##\tA", "A"),
        ("#", ""),
        ("## ##", ""),
        ("#A", None),
        ("####### A", None),
        (" # A", None),
        ("", None),
        ("A", None),
    ]:
        with subtests.test(line=line):
            assert heading_words(line) == words


@given(markdown, st.sampled_from([b"```", b"~~~~"]))
def test_a_fence_that_nothing_closes_changes_no_page_before_it(data: bytes, fence: bytes) -> None:
    data = data.replace(b"`", b"").replace(b"~", b"")
    data += b"" if data.endswith(b"\n") or not data else b"\n"
    before = [page.text for page in parse_document(data + b"- last\n").facts]

    assert [page.text for page in parse_document(data + b"- last\n\n" + fence + b"x\n").facts] == before


@pytest.mark.slow
def test_a_large_file_of_hostile_lines_is_parsed_in_less_than_a_second(subtests: pytest.Subtests) -> None:
    for name in _HOSTILE:
        with subtests.test(name=name):

            def read(data: bytes = _HOSTILE[name]) -> None:
                assert bytes(parse_document(data)) == data

            assert paced_s(read, enough_s=0.7) < 0.7


def test_the_share_of_hostile_lines_that_a_prompt_takes_is_parsed_in_milliseconds(subtests: pytest.Subtests) -> None:
    for name in _HOSTILE:
        with subtests.test(name=name):
            data = _HOSTILE[name]
            pieces = [data[at : at + 8192] for at in (0, min(len(data) - 8192, 70_000))]
            assert min(paced_s(partial(parse_document, piece), tries=3, enough_s=0.02) for piece in pieces) < 0.02
