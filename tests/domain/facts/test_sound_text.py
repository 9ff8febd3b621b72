from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.sound_text import sound

ANY = st.text(st.one_of(st.characters(), st.characters(categories=["Cs"])))


def test_halves_of_a_character_are_joined_or_marked(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("plain", "plain"),
        ("ä 😀", "ä 😀"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83db", "a\ufffdb"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ufeffa", "\ufeffa"),
    ]
    for text, wanted in cases:
        with subtests.test(text=text, wanted=wanted):
            assert sound(text) == wanted


@given(ANY)
def test_nothing_but_halves_is_changed(text: str) -> None:
    joined = re.sub("[\ud800-\udbff][\udc00-\udfff]", lambda pair: _character(*pair[0]), text)

    assert sound(text) == re.sub("[\ud800-\udfff]", "\ufffd", joined)


def _character(high: str, low: str) -> str:
    return chr(0x10000 + (ord(high) - 0xD800) * 0x400 + ord(low) - 0xDC00)
