"""JSON among the runtime's lines."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.memory.block_json import block_json
from domain.text.lookalike import UNSEEN

BLANKS = ("\u034f", "\u115f", "\u17b4", "\u180e", "\u2800", "\u3164", "\uffa0", "\U000e0041", "\U000e0100")


@given(st.text())
def test_it_says_the_same_on_one_line_that_hides_nothing_and_ends_no_markup(text: str) -> None:
    text_json = block_json({"text": text})

    assert json.loads(text_json) == {"text": text}
    assert len(text_json.splitlines()) == 1
    assert not set(text_json) & set("<>")
    assert not {unicodedata.category(character) for character in text_json} & {"Cc", "Zl", "Zp"}


def test_what_is_not_seen_is_spelled_out(subtests: pytest.Subtests) -> None:
    cases: list[str] = [*BLANKS, *"\u202e\u200b\u2066\ufeff\x85\u2028"]
    for hidden in cases:
        with subtests.test(hidden=hidden):
            text_json = block_json(f"a{hidden}b")

            assert UNSEEN.search(text_json) is None
            assert text_json.isascii()
            assert json.loads(text_json) == f"a{hidden}b"
