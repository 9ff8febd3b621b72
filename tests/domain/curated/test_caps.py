from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.caps import cap_index
from tests.domain.curated.files import anything

LIMITS = st.integers(0, 40)


@given(anything, LIMITS, LIMITS)
def test_what_is_kept_is_a_beginning_within_both_limits(data: bytes, max_lines: int, max_bytes: int) -> None:
    capped = cap_index(data, max_lines, max_bytes)

    assert data.startswith(capped.data)
    assert len(capped.data) <= max_bytes
    assert capped.lines == capped.data.count(b"\n") + bool(capped.data.rpartition(b"\n")[2]) <= max_lines
    assert (capped.total_lines, capped.total_bytes) == (data.count(b"\n") + bool(data.rpartition(b"\n")[2]), len(data))
    assert capped.is_cut == (capped.data != data)


@given(anything, LIMITS, LIMITS)
@pytest.mark.req("X-78")
def test_lines_stay_whole_and_no_line_more_would_fit(data: bytes, max_lines: int, max_bytes: int) -> None:
    capped = cap_index(data, max_lines, max_bytes)
    if not capped.is_cut:
        return
    is_whole = not capped.data or capped.data.endswith(b"\n")
    rest, _, _ = data[len(capped.data) :].partition(b"\n")
    more = capped.data + rest + data[len(capped.data) + len(rest) :][:1]

    assert is_whole or b"\n" not in capped.data
    assert capped.lines == max_lines or len(more) > max_bytes


@given(st.text(max_size=30), LIMITS)
@pytest.mark.req("X-78")
def test_a_line_that_is_too_long_is_cut_between_two_characters(text: str, max_bytes: int) -> None:
    data = text.replace("\n", "").encode()
    capped = cap_index(data, 1, max_bytes).data

    assert capped.decode() == data.decode()[: len(capped.decode())]
    assert capped == data or len(capped) > max_bytes - 4


@pytest.mark.req("S1-06", "S1-27")
def test_of_an_index_a_prompt_takes_two_hundred_lines_or_eight_kibibytes() -> None:
    assert cap_index(b"x\n" * 201, 200, 8192).data == b"x\n" * 200
    assert cap_index(b"x\n" * 200, 200, 8192).is_cut is False

    wide = cap_index((b"x" * 199 + b"\n") * 100, 200, 8192)
    assert (len(wide.data), wide.lines, wide.total_lines, wide.is_cut) == (8000, 40, 100, True)


@pytest.mark.req("X-78")
def test_of_a_single_long_line_whole_characters_are_kept() -> None:
    capped = cap_index("ä€😀".encode() * 2000, 200, 8192)

    assert len(capped.data) > 8188
    assert capped.data.decode().startswith("ä€😀ä€😀")


def test_whichever_limit_is_reached_first_ends_it(subtests: pytest.Subtests) -> None:
    for data, max_lines, max_bytes, capped in [
        (b"", 200, 8192, b""),
        (b"abc\n", 0, 8192, b""),
        (b"abc\n", 200, 0, b""),
        (b"abc\n", 1, 4, b"abc\n"),
        (b"abc\n", 1, 3, b"abc"),
        (b"a\nbcdef\n", 9, 4, b"a\n"),
        (b"a\r\nb\r\n", 1, 99, b"a\r\n"),
        (b"\n\n\n", 2, 99, b"\n\n"),
        ("é".encode(), 1, 1, b""),
        (b"\xff\xff\xff", 1, 2, b"\xff"),
        (b"\x80\x80\x80\x80\x80\x80", 1, 5, b"\x80\x80\x80\x80\x80"),
    ]:
        with subtests.test(data=data):
            assert cap_index(data, max_lines, max_bytes).data == capped
