from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.output_tail import (
    MAX_BYTES,
    MAX_LINES,
    WINDOW_BYTES,
    Excerpt,
    KeptOutput,
    OutputTail,
    render,
    size_text,
)

OUTPUT_FILE = KeptOutput(path="/w/output/r1.log")


def excerpt_of(*pieces: bytes) -> Excerpt:
    tail = OutputTail()
    for piece in pieces:
        tail.feed(piece)
    return tail.excerpt()


def lines(first: int, last: int) -> bytes:
    return b"".join(b"%d\n" % number for number in range(first, last + 1))


@pytest.mark.req("S0-98", "S0-98b")
def test_the_limits_are_those_of_pi() -> None:
    assert (MAX_LINES, MAX_BYTES) == (2_000, 50 * 1024)


def test_short_output_is_shown_whole() -> None:
    excerpt = excerpt_of(b"a\nb\n")
    assert excerpt == Excerpt(text="a\nb", first_line=1, line_count=2)
    assert not excerpt.truncated


def test_exactly_the_limit_of_lines_is_shown_whole() -> None:
    assert not excerpt_of(lines(1, MAX_LINES)).truncated


def test_of_too_many_lines_the_last_2000_are_shown_and_numbered() -> None:
    excerpt = excerpt_of(lines(1, 3000))
    assert excerpt.text == lines(1001, 3000).decode().rstrip("\n")
    assert (excerpt.first_line, excerpt.line_count, excerpt.cut_by_bytes) == (1001, 3000, False)
    assert render(excerpt, OUTPUT_FILE, "").endswith(
        "\n\n[Showing lines 1001-3000 of 3000; more than 2000 lines are cut. The whole output is in /w/output/r1.log]"
    )


def test_exactly_the_limit_of_bytes_is_shown_whole() -> None:
    assert not excerpt_of(b"x" * (MAX_BYTES // 2 - 1) + b"\n" + b"y" * (MAX_BYTES // 2) + b"\n").truncated
    assert excerpt_of(b"x" * (MAX_BYTES // 2) + b"\n" + b"y" * (MAX_BYTES // 2) + b"\n").truncated


def test_of_too_many_bytes_as_many_whole_lines_as_fit_are_shown() -> None:
    excerpt = excerpt_of(b"".join(b"%04d" % number + b"x" * 995 + b"\n" for number in range(1, 101)))
    assert (excerpt.first_line, excerpt.line_count, excerpt.cut_by_bytes) == (50, 100, True)
    assert excerpt.text.startswith("0050x")
    assert len(excerpt.text) <= MAX_BYTES
    assert "[Showing lines 50-100 of 100; more than 50.0 KB is cut. " in render(excerpt, OUTPUT_FILE, "")


def test_of_a_last_line_that_is_too_long_the_end_is_shown(subtests: pytest.Subtests) -> None:
    for end in [b"", b"\n"]:
        for size in [MAX_BYTES + 1, 3 * WINDOW_BYTES]:
            with subtests.test(end=end, size=size):
                excerpt = excerpt_of(b"first\nsecond\n", b"x" * (size - 3), b"end", end)
                assert excerpt.text == "x" * (MAX_BYTES - 3) + "end"
                assert (excerpt.first_line, excerpt.line_count, excerpt.line_bytes) == (3, 3, size)
                assert f"[Showing last 50.0 KB of line 3, which has {size_text(size)}. " in render(
                    excerpt, OUTPUT_FILE, ""
                )


def test_a_long_line_before_short_ones_is_left_out() -> None:
    excerpt = excerpt_of(b"x" * (2 * WINDOW_BYTES), b"\nshort\n")
    assert (excerpt.text, excerpt.first_line, excerpt.line_count, excerpt.line_bytes) == ("short", 2, 2, None)


def test_no_character_is_cut_in_half() -> None:
    for shift in range(4):
        text = excerpt_of(b"x" * shift, "😀".encode() * MAX_BYTES).text
        assert set(text) == {"😀"}
        assert MAX_BYTES - 4 < len(text.encode()) <= MAX_BYTES


def test_a_progress_bar_counts_as_it_looks_in_the_end() -> None:
    excerpt = excerpt_of(b"begin\n", b"".join(b"%d%%\r" % number for number in range(40_000)), b"done\nend\n")
    assert excerpt == Excerpt(text="begin\ndone\nend", first_line=1, line_count=3)


def test_bytes_that_are_no_text_are_shown_as_replacement_characters_within_the_limit() -> None:
    excerpt = excerpt_of(b"\xff\xfe\n" * 10_000)
    assert excerpt.truncated
    assert set(excerpt.text) == {"\ufffd", "\n"}
    assert len(excerpt.text.encode()) <= MAX_BYTES


def test_any_bytes_can_be_shown() -> None:
    for seed in range(20):
        text = excerpt_of(random.Random(seed).randbytes(30_000)).text
        assert len(text.encode()) <= MAX_BYTES


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\x1b[1m", b"\xc3", b"\xa9", b"\x00", b"words"]), max_size=40),
    st.data(),
)
def test_it_does_not_matter_where_pieces_are_cut(parts: list[bytes], data: st.DataObject) -> None:
    raw = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=8)))
    pieces = [raw[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert excerpt_of(*pieces) == excerpt_of(raw)


@pytest.mark.req("S0-98b")
@given(st.integers(1, 5000), st.integers(0, 60))
def test_what_is_shown_is_the_end_of_the_output_and_within_both_limits(count: int, width: int) -> None:
    whole = "\n".join(f"{number}{'x' * width}" for number in range(count))
    excerpt = excerpt_of(whole.encode() + b"\n")
    tail = excerpt.text.split("\n")
    assert whole.endswith(excerpt.text)
    assert len(tail) <= MAX_LINES
    assert len(excerpt.text) <= MAX_BYTES
    assert excerpt.first_line == count - len(tail) + 1
    assert excerpt.truncated == (len(tail) < count)


def test_memory_stays_small_whatever_comes() -> None:
    tail = OutputTail()
    pieces = [b"\x00" * 65_536, b"y\n" * 32_768, b"x" * 65_536, b"ab"]
    tracemalloc.start()
    try:
        for piece in pieces:
            for _ in range(200):
                tail.feed(piece)
        tail.excerpt()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 * WINDOW_BYTES


def test_output_with_nothing_in_it_is_said_to_have_nothing() -> None:
    assert render(excerpt_of(), OUTPUT_FILE, "") == "(no output)"
    assert render(excerpt_of(b"\n\n"), OUTPUT_FILE, "") == "(no output)"
    assert render(excerpt_of(b"\x1b[0m"), OUTPUT_FILE, "Exit code 3.") == "(no output)\n\n[Exit code 3.]"


def test_the_ending_stands_last() -> None:
    text = render(excerpt_of(lines(1, 3000)), OUTPUT_FILE, "Exit code 3.")
    assert text.endswith("/w/output/r1.log]\n\n[Exit code 3.]")


def test_a_file_that_lacks_something_is_said_to_lack_it() -> None:
    excerpt = excerpt_of(lines(1, 3000))
    assert "beginning is in /f; the last 2.0 MB were not kept.]" in render(
        excerpt, KeptOutput(path="/f", lost_bytes=2 * 1024 * 1024), ""
    )
    assert "the last 10 B were not kept (disk full).]" in render(
        excerpt, KeptOutput(path="/f", lost_bytes=10, fault="disk full"), ""
    )
    assert "The whole output could not be kept: disk full.]" in render(
        excerpt, KeptOutput(path="", fault="disk full"), ""
    )


def test_sizes_are_told_in_units_of_1024(subtests: pytest.Subtests) -> None:
    for size, text in [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (50 * 1024, "50.0 KB"), (1 << 21, "2.0 MB")]:
        with subtests.test(size=size):
            assert size_text(size) == text
