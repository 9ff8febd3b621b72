from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.text.terminal_text import plain
from tests.pace import paced_s

HOSTILE = st.text(alphabet=st.sampled_from("\x00\x07\x08\x1b\x9b[]()P\\;?0123mKH \r\n\tabé"), max_size=60)


def test_a_reader_sees_what_a_terminal_would_have_left(subtests: pytest.Subtests) -> None:
    for raw, seen in [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Bascii", "ascii"),
        ("\x1bMup", "up"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("10%\r20%\r100%\n", "100%\n"),
        ("10%\r100%\r\x1b[K\n", "100%\n"),
        ("dos\r\nlines\r\r\n", "dos\nlines\n"),
        ("whole line\rwhole", "whole"),
        ("first\nsecond\rthird", "first\nthird"),
        ("title never closed: \x1b]0;oops\nnext line", "title never closed: \nnext line"),
        ("ends in \x1b", "ends in "),
        ("ends in \x1b[3", "ends in "),
        ("", ""),
    ]:
        with subtests.test(raw=raw):
            assert plain(raw) == seen


@given(HOSTILE)
@example("\x1b\x1b[[m")
@example("\x1b[\x00m")
def test_nothing_that_steers_a_terminal_is_left(raw: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", plain(raw))


@given(HOSTILE)
def test_there_are_as_many_lines_as_before(raw: str) -> None:
    assert plain(raw).count("\n") == raw.count("\n")


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs"))))
def test_text_without_control_characters_stays_as_it_is(raw: str) -> None:
    assert plain(raw) == raw


def test_hostile_output_costs_linear_time(subtests: pytest.Subtests) -> None:
    for unit in ["\x1b[", "\x1b]0;", "\x1b]" + "x" * 5000, "a\r", "\x1b(", "x", "\r", "\x1b\x1b[1"]:
        with subtests.test(unit=unit):
            text = unit * (500_000 // len(unit))
            assert paced_s(partial(plain, text)) < 2
