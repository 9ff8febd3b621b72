from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.model_json import MOST_FACT_CHARS, facts_of
from tests.pace import paced_s


@pytest.mark.req("S2-57", "S2-58", "X-85")
def test_facts_are_found_in_whatever_form_a_model_says_them(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, tuple[str, ...]]] = [
        ('["a", "b"]', ("a", "b")),
        ("[]", ()),
        ('```json\n["a"]\n```', ("a",)),
        ('Here you are: ["a"]. Anything else?', ("a",)),
        ('{"facts": ["a", "b"]}', ("a", "b")),
        ('[{"fact": "a"}, {"text": "b"}]', ("a", "b")),
        ('{"fact": "a"}', ("a",)),
        ('["1", "2", "3", "4", "5"]', ("1", "2", "3")),
        ('["The user likes tea", "the user  likes TEA", "b"]', ("The user likes tea", "b")),
        ('["  ", "", null, 3, ["x"], " a "]', ("a",)),
        ('See [1] and [2]: ["a"]', ("a",)),
        ('[]\n["a"]', ()),
        ('<think>perhaps ["x"]</think>\n["a"]', ("a",)),
        ('<think>perhaps ["a"]</think>', ("a",)),
        ('["What </think> means"]', ("What </think> means",)),
        ('{"fact": "a"}\n{"fact": "b"}', ("a", "b")),
        ('{"thoughts": "none", "facts": [{"text": "", "fact": "a"}]}', ("a",)),
        ('{"facts": []} ["a"]', ()),
        ('["a \\ud83d"]', ("a \ufffd",)),
        ('["a", 1e999, NaN, {"fact": 3}]', ("a",)),
        ("[" + "9" * 9_000 + "]", ()),
        ("I found no facts.", ()),
        ("", ()),
        ('["unfinished', ()),
        ("[" * 5_000, ()),
        ("\0", ()),
    ]
    for reply, facts in cases:
        with subtests.test(reply=reply, facts=facts):
            assert facts_of(reply) == facts


@given(st.text())
def test_no_reply_is_an_error(reply: str) -> None:
    assert len(facts_of(reply)) <= 3


@pytest.mark.parametrize("piece", ["[", "[1,", '["', "{", '{"a":', "[ {", "[]"])
def test_a_reply_takes_no_longer_than_its_letters(piece: str) -> None:
    assert paced_s(lambda: facts_of(piece * (1_000_000 // len(piece)))) < 2


def test_a_fact_is_bounded() -> None:
    assert len(facts_of(f'["{"x" * 100_000}"]')[0]) == MOST_FACT_CHARS
