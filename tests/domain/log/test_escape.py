from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import given

from domain.log.escape import escape, fence_for, must_escape, unescape, visible
from tests.domain.log.logs import BOUNDED, hostile_text


def test_every_single_character_is_given_back_and_stands_plain_or_escaped() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    unsafe = [character for character in every if must_escape(character)]

    assert len(unsafe) == 30 + 33 + 3 + 7 + 4 + 1 + 2048
    assert [unescape(escape(character)) for character in unsafe] == unsafe
    assert "".join(map(escape, unsafe)).isascii()
    assert unescape(escape("".join(every))) == "".join(every)


@BOUNDED
@given(hostile_text)
def test_escaped_text_is_given_back_and_needs_no_escape(text: str) -> None:
    stored = escape(text)

    assert unescape(stored) == text
    assert not must_escape(stored)
    assert stored.count("\n") == text.count("\n")


def test_a_line_that_could_begin_or_end_a_record_is_escaped(subtests: pytest.Subtests) -> None:
    for line in ["<!-- end e1", "## 2026-11-22T", "<!-- end ", "## 0000-00-00T"]:
        with subtests.test(line=line):
            for text in (line, "a\n" + line, "\n\n" + line + "\nb"):
                assert must_escape(text)
                assert "\n" + line not in "\n" + escape(text)


def test_ordinary_text_is_not_escaped(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "## Plan", "<!-- note -->", " <!-- end x", "a ## 2026-11-22T", "\\", "\t\n", "é日😀\u200d"]
    for text in cases:
        with subtests.test(text=text):
            assert not must_escape(text)


def test_what_was_never_escaped_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["\\", "a\\", "\\x", "\\u12", "\\u00ZZ", "\\\\\\", "\\u00AA"]
    for stored in cases:
        with subtests.test(stored=stored), pytest.raises(ValueError, match="backslash"):
            unescape(stored)


def test_shown_text_keeps_tabs_lines_and_backslashes() -> None:
    assert visible("a\tb\n\\c\x1b\u202e\x7f\ud800") == "a\tb\n\\c\\u001b\\u202e\\u007f\\ud800"


def test_shown_text_hides_no_format_character_but_the_joiners_that_a_sequence_needs() -> None:
    hidden = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"]
    assert len(hidden) > 150
    assert [each for each in hidden if not visible(f"a{each}b").isascii()] == []
    assert visible("pay\u200b\U000e0041") == "pay\\u200b\\udb40\\udc41"
    assert json.loads(f'"{visible("".join(hidden))}"') == "".join(hidden)
    for text in (
        "👩\u200d👩\u200d👧",
        "❤\ufe0f\u200d🔥",
        "نمی\u200cخواهم",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f",
    ):
        assert visible(text) == text


def test_a_fence_is_one_longer_than_any_run_of_backticks_and_three_at_least(subtests: pytest.Subtests) -> None:
    for run in range(12):
        with subtests.test(run=run):
            assert len(fence_for(f"a{'`' * run}b`\n``")) == max(3, run + 1)
