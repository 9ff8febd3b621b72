from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.splitting import LIMIT, pieces, sendable, split, units

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAG = "\U0001f1eb\U0001f1f7"
PROSE = st.text(alphabet="ab .\n\t\u00e9\u0301\U0001f600", max_size=40)
WIDE = st.text(max_size=20)
LONG = st.lists(
    st.one_of(
        PROSE, WIDE, st.sampled_from(["```\n", "\n```\n", "````", "x" * 150, "\n\n", " " * 90, FAMILY, FLAG * 9])
    ),
    max_size=20,
).map("".join)


def visible(text: str) -> str:
    """What a reader sees besides blanks and block marks."""
    return "".join(c for c in text if not c.isspace() and c != "`")


@given(LONG, st.integers(200, 400))
def test_no_message_is_blank_or_longer_than_the_limit(text: str, limit: int) -> None:
    for part in split(text, limit):
        assert part.strip()
        assert units(part) <= limit


@given(LONG)
def test_the_sources_of_all_messages_are_the_text(text: str) -> None:
    found = pieces(text, 200)
    assert not found or "".join(piece.source for piece in found) == text


@given(LONG)
def test_everything_visible_is_shown_once_and_in_order(text: str) -> None:
    assert "".join(visible(part) for part in split(text, 200)) == visible(text)


@given(LONG)
def test_each_message_shows_what_its_source_says(text: str) -> None:
    for piece in pieces(text, 200):
        assert visible(piece.text) == visible(piece.source)


@given(LONG)
def test_every_block_of_a_cut_text_is_closed_in_its_own_message(text: str) -> None:
    parts = split(text, 200)
    for part in parts if len(parts) > 1 else ():
        assert len(re.findall("`{3,}", part)) % 2 == 0


@given(st.text(max_size=LIMIT // 2))
def test_a_short_text_is_one_message_without_its_blank_edges(text: str) -> None:
    assert split(text) == ((text.strip(),) if text.strip() else ())


def test_a_blank_text_is_no_message() -> None:
    assert split(" \n\t" * 5000) == ()


def test_a_paragraph_is_preferred_to_a_line_and_a_line_to_a_word() -> None:
    first, second = "one two\n" * 100, "three four\n" * 150
    assert split(first + "\n" + second, 1500)[0] == first.strip()
    assert split("five six\n" * 300, 1000)[0].endswith("six")
    assert split("seven eight " * 300, 1000)[0].split(" ")[-1] in {"seven", "eight"}


def test_a_pause_that_comes_too_early_is_not_used() -> None:
    assert len(split("short\n\n" + "x" * 3000)) == 2


def test_a_cut_code_block_keeps_its_language() -> None:
    code = "\n".join(f"line_{i} = {i}" for i in range(300))
    parts = split(f"Here:\n```python\n{code}\n```\nDone.")
    assert len(parts) > 2
    assert all(part.startswith("```python\n") for part in parts[1:])
    assert all(part.endswith("\n```") for part in parts[:-1])
    assert parts[-1].endswith("```\nDone.")
    lines = [line for part in parts for line in part.splitlines() if line.startswith("line_")]
    assert "\n".join(lines) == code


def test_indentation_inside_a_cut_block_survives() -> None:
    body = "".join(f"if x{i}:\n    y = {i}\n" for i in range(200))
    shown = "".join(
        line + "\n"
        for part in split(f"```python\n{body}```")
        for line in part.splitlines()
        if not line.startswith("```")
    )
    assert shown == body


def test_a_late_block_goes_into_the_next_message_whole() -> None:
    prose, block = "word " * 300, "```sh\n" + "echo hello\n" * 60 + "```"
    first, second = split(prose + "\n" + block)
    assert first == prose.strip()
    assert second == block


def test_no_message_is_an_empty_block() -> None:
    for pad in range(1900, 2000):
        parts = split("a" * pad + "\n```py\n" + "b" * 500 + "\n```")
        assert all(visible(part.replace("```py", "```")) for part in parts)


def test_a_block_that_ends_at_the_cut_leaves_no_empty_block_behind() -> None:
    for size in range(1970, 2000):
        parts = split("```\n" + "c" * size + "\n```\nafter")
        assert parts[-1].endswith("after")
        assert "```\n\n```" not in "".join(parts)


@pytest.mark.parametrize(
    "cluster", [FAMILY, FLAG, "e\u0301", "\U0001f44d\U0001f3fd", "\u1112\u1161\u11ab", "\r\n", "\ud83d\ude00"]
)
def test_no_character_is_cut_in_two(cluster: str) -> None:
    for shift in range(12):
        for part in split("a" * shift + cluster * 900, 200):
            rest = part.strip("a") if cluster != "\r\n" else ""
            assert rest.count(cluster) * len(cluster) == len(rest)


def test_a_pile_of_marks_larger_than_a_message_is_still_cut() -> None:
    parts = split("e" + "\u0301" * 5000)
    assert all(units(part) <= LIMIT for part in parts)
    assert sum(len(part) for part in parts) == 5001


def test_characters_outside_the_basic_plane_count_twice() -> None:
    assert units("a\U0001f600") == 3
    assert len(split("\U0001f600" * 1001)) == 2


def test_a_limit_without_room_for_block_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="199"):
        split("x", 199)


def test_a_sendable_text_encodes() -> None:
    assert sendable("a\ud83d\ude00b\ud83dc") == "a\U0001f600b\ufffdc"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_an_ordinary_text_is_sendable_as_it_is(text: str) -> None:
    assert sendable(text) == text
