"""Texts are weighed by their script."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.token_estimate import tokens_of_text, weighed_chars

PROSE = "The harbour was quiet, and nobody had seen the boat since Tuesday. " * 20
BASE64 = base64.b64encode(b"".join(hashlib.sha256(bytes([n])).digest() for n in range(64))).decode()


def test_english_weighs_its_length() -> None:
    assert weighed_chars(PROSE) == len(PROSE)
    assert weighed_chars('{"command":"ls"}') == len('{"command":"ls"}')


def test_other_scripts_and_code_take_more(subtests: pytest.Subtests) -> None:
    for text, least, most in [
        # Characters a token, by script; public tokenizers differ between these.
        ("Где находится ближайшая библиотека " * 20, 1.4, 3),
        ("图书馆在哪里我想借一本书" * 20, 0.7, 1.3),
        ("도서관은 어디에 있습니까 " * 20, 0.7, 2),
        ("😀🎉🚀" * 20, 0.4, 1),
        (BASE64, 1.2, 2.5),
        ("if (a[i] != b[j]) { x += 1; } else { y->z = &w; }\n" * 20, 1.3, 3.9),
    ]:
        with subtests.test(text=text):
            assert least <= len(text) / tokens_of_text(text) <= most


@given(st.text(), st.text())
def test_a_longer_text_never_weighs_less(one: str, other: str) -> None:
    assert weighed_chars(one + other) >= weighed_chars(one) - 2
    assert tokens_of_text(one) >= 1


def test_half_a_surrogate_pair_is_weighed_too() -> None:
    assert weighed_chars("\ud83d") > 1
