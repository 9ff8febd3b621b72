"""Lists of facts in the forms that people and programs write."""

from __future__ import annotations

import pytest

from domain.facts.fact_list import MOST_CHARS, read_facts

TWO = ["The user likes tea", "The user sings"]


def test_lists_in_json_and_in_lines_are_the_same_facts() -> None:
    forms = (
        '["The user likes tea", "The user sings"]',
        '\ufeff {"memories": ["The user likes tea", "The user sings"]}',
        '{"facts": [{"text": "The user likes tea", "id": 1}, {"memory": "The user sings"}]}',
        '[{"content": "The user likes tea"}, {"fact": "The user sings"}]',
        "The user likes tea\r\nThe user sings\r\n",
        "- The user likes tea\n\n  * The user sings",
        "1. The user likes tea\n2) The user sings",
    )
    failures = [form for form in forms if read_facts(form) != TWO]
    assert not failures
    assert read_facts("[1] is a footnote\n3 cats\n-5 degrees") == ["[1] is a footnote", "3 cats", "-5 degrees"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there are no facts"),
        ("[]", "there are no facts"),
        ('{"other": []}', "a JSON list of texts is required"),
        ('{"memories": ["a"', "it begins like JSON, but is not valid JSON"),
        ('["a", 7]', "item 2 of 2: 7 is not a text"),
        ('["a", ""]', "fact 2 of 2: '' has no words"),
        ("x" * (MOST_CHARS + 1), f"fact 1 of 1: {MOST_CHARS + 1} characters"),
    ],
)
def test_what_is_wrong_is_named_by_its_place_and_its_rule(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_facts(text)
