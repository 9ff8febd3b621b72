from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.levels import CHARS_OF_TOKEN, CHUNK_TOKENS, OVERLAP_TOKENS, Level, chunks, groups, level_of, tokens_of


@pytest.mark.req("S2-67", "X-90")
def test_the_level_follows_from_the_length(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, Level]] = [
        (0, Level.NONE),
        (99, Level.NONE),
        (100, Level.BRIEF),
        (499, Level.BRIEF),
        (500, Level.STANDARD),
        (2_999, Level.STANDARD),
        (3_000, Level.DETAILED),
        (15_000, Level.DETAILED),
        (15_001, Level.HIERARCHICAL),
    ]
    for tokens, level in cases:
        with subtests.test(tokens=tokens, level=level):
            assert level_of(tokens) is level


def test_a_token_is_four_characters() -> None:
    assert [tokens_of("x" * size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]


@pytest.mark.req("S2-72")
@given(st.text(alphabet="ab .\n", max_size=40_000))
def test_parts_hold_all_words_and_none_is_too_long(text: str) -> None:
    parts = chunks(text)

    assert all(0 < len(part) <= CHUNK_TOKENS * CHARS_OF_TOKEN for part in parts)
    assert (
        set(text.split()) <= {word for part in parts for word in part.split()}
        or len(max(text.split(), key=len)) > 1_000
    )


@pytest.mark.req("S2-72")
def test_a_part_begins_with_the_end_of_the_one_before() -> None:
    text = " ".join(f"word{n}" for n in range(6_000))
    first, second, *_ = chunks(text)

    shared = len(first) - first.index(second[:200])
    assert OVERLAP_TOKENS * CHARS_OF_TOKEN - 20 <= shared <= OVERLAP_TOKENS * CHARS_OF_TOKEN


@pytest.mark.parametrize(("boundary", "ends"), [("\n\n", "end."), (". ", "end."), (" ", "end")])
def test_a_part_ends_where_something_ends(boundary: str, ends: str) -> None:
    filler = "x" * 11_000 + (" end." if boundary != " " else " end")

    assert chunks(filler + boundary.lstrip(".") + "y" * 5_000)[0].endswith(ends)


def test_text_without_any_boundary_is_cut_all_the_same() -> None:
    assert len(chunks("x" * 30_000)) == 3
    assert chunks("") == chunks("  \n") == ()


@pytest.mark.req("S2-20")
def test_groups_are_of_five() -> None:
    assert [len(group) for group in groups([str(n) for n in range(11)])] == [5, 5, 1]


@pytest.mark.req("S2-72")
@given(st.lists(st.text(" .\n", max_size=4), min_size=1), st.integers(1, 6_000))
def test_parts_follow_one_another_without_a_gap(gaps: list[str], count: int) -> None:
    text = "".join(f"word{n:04}{gaps[n % len(gaps)]}" for n in range(count))
    at = 0
    for part in chunks(text):
        begin = text.find(part)
        assert 0 <= begin <= at + len(text[at:]) - len(text[at:].lstrip())
        at = begin + len(part)

    assert not text[at:].strip()
