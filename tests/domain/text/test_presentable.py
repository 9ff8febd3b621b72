from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.presentable import presentable, without_hidden

HIDDEN = (
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u00ad\u180e\u3164"
    "\u17b4\u17b5\u2065\ufff0\ufffc"
)


def test_what_hides_or_turns_text_around_is_shown_by_its_number(subtests: pytest.Subtests) -> None:
    for character in HIDDEN:
        with subtests.test(character=character):
            assert presentable(f"a{character}b") == f"a\\u{ord(character):04x}b"


def test_emoji_and_scripts_keep_the_joiners_that_they_need(subtests: pytest.Subtests) -> None:
    for text in [
        "👩\u200d👩\u200d👧",
        "❤\ufe0f\u200d🔥",
        "👋🏽",
        "🧑🏽\u200d🚀",
        "می\u200cخواهم",
        "क्\u200dष",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "☎\ufe0e ☎\ufe0f ©\ufe0f ‼\ufe0f ↔\ufe0f",
        "1\ufe0f\u20e3 #\ufe0f\u20e3",
        "葛\U000e0100城",
        "ᠮᠣᠩᠭᠣᠯ\u180b",
        "⠃\u2800\u2800⠗",
        "plain, ünïcode, 日本語\n\ttab",
    ]:
        with subtests.test(text=text):
            assert presentable(text) == text


def test_a_joiner_or_tag_that_joins_nothing_is_shown(subtests: pytest.Subtests) -> None:
    for text, expected in [
        ("pass\u200dword", "pass\\u200dword"),
        ("a\u200cb", "a\\u200cb"),
        ("a\U000e0041b", "a\\U000e0041b"),
        ("\U0001f3f4\U000e0067\U000e0062", "\U0001f3f4\\U000e0067\\U000e0062"),
        ("\u200d", "\\u200d"),
        ("10\ufe0f0", "10\\ufe0f0"),
        ("a\ufe00\ufe01", "a\\ufe00\\ufe01"),
        ("☎\ufe0f\ufe0e", "☎\ufe0f\\ufe0e"),
        ("☎\U000e0100", "☎\\U000e0100"),
        ("葛\U000e0100\U000e0101", "葛\U000e0100\\U000e0101"),
        ("ᠯ\u180b\u180c", "ᠯ\u180b\\u180c"),
        ("a\u180b", "a\\u180b"),
        ("\ufe0f", "\\ufe0f"),
        ("\u061c\u200d", "\\u061c\\u200d"),
        ("\u180e\u200c\u1820", "\\u180e\\u200c\u1820"),
    ]:
        with subtests.test(text=text):
            assert presentable(text) == expected


def test_what_is_to_be_invisible_once_it_is_assigned_is_shown(subtests: pytest.Subtests) -> None:
    for code in [0xE0080, 0xE00FF, 0xE01F0, 0xE0FFF, 0x1D159]:
        with subtests.test(code=code):
            assert presentable(f"a{chr(code)}b") == f"a\\U{code:08x}b"


@given(
    st.text(
        alphabet=HIDDEN + "\U0001d159ab\u200c\u200d👩🏽\ufe0f1\u20e3葛\U000e0100\u180bم\U0001f3f4\U000e0067\U000e007f"
    )
)
def test_what_was_made_presentable_stays_so(text: str) -> None:
    once = presentable(text)
    assert presentable(once) == once
    assert not set(once) & set(HIDDEN)


@given(st.text(st.characters() | st.sampled_from("\u200b\u200c\u200d\u00ad\ufe0f\u202e\U000e0041\u0646\U0001f468")))
def test_what_is_hidden_can_be_left_out_and_nothing_hidden_is_left(text: str) -> None:
    bare = without_hidden(text)
    assert presentable(bare) == bare
    assert without_hidden(bare) == bare


def test_what_scripts_and_emoji_need_stays_and_so_does_what_is_to_be_kept() -> None:
    needed = "\u0646\u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f469 \u2714\ufe0f"
    assert without_hidden(needed) == needed
    assert without_hidden("a\u200bb\u00adc\u202ed") == "abcd"
    assert without_hidden("a\u200bb\u202ed", "\u202e") == "ab\u202ed"
