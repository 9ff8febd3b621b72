"""Facts of several messages."""

from __future__ import annotations

import pytest

from domain.facts.several import facts_of_messages, find_source

MESSAGES = ("My wife is called Anne", "ok, go on", "We live in Oslo with two cats")
OSLO, CATS, ANNE = "The user lives in Oslo", "The user has two cats", "The user's wife is named Anne"


@pytest.mark.req("X-232")
def test_facts_belong_to_the_messages_that_say_them_in_whatever_form_a_model_lists_them() -> None:
    right = ((ANNE,), (), (OSLO, CATS))
    table = {
        "as asked": f'[{{"message": 1, "fact": "{ANNE}"}}, {{"message": 3, "fact": "{OSLO}"}},'
        f' {{"message": 3, "fact": "{CATS}"}}]',
        "numbers as text": f'[{{"message": "1", "fact": "{ANNE}"}}, {{"message": " 3", "text": "{OSLO}"}},'
        f' {{"message": "3", "fact": "{CATS}"}}]',
        "facts alone": f'["{ANNE}", "{OSLO}", "{CATS}"]',
        "a list each": f'[["{ANNE}"], [], ["{OSLO}", "{CATS}"]]',
        "unknown numbers": f'[{{"message": 0, "fact": "{ANNE}"}}, {{"message": 9, "fact": "{OSLO}"}},'
        f' {{"message": true, "fact": "{CATS}"}}]',
        "fenced, in an object": f'Sure:\n```json\n{{"facts": ["{ANNE}", "{OSLO}", "{CATS}"]}}\n```',
        "lines of objects": f'{{"message": 1, "fact": "{ANNE}"}}\n{{"message": 3, "fact": "{OSLO}"}}\n'
        f'{{"message": 3, "fact": "{CATS}"}}',
    }
    assert {name: got for name, reply in table.items() if (got := facts_of_messages(reply, MESSAGES)) != right} == {}


@pytest.mark.req("X-232", "S2-57")
def test_of_each_message_three_facts_are_kept_and_none_twice() -> None:
    reply = "[" + ", ".join(f'{{"message": {1 + n % 3}, "fact": "fact {n % 13}"}}' for n in range(26)) + "]"
    facts = facts_of_messages(reply, MESSAGES)
    assert facts is not None
    assert [len(each) for each in facts] == [3, 3, 3]
    assert len({text for each in facts for text in each}) == 9


@pytest.mark.req("X-232")
def test_an_empty_list_says_that_there_are_none_and_no_list_says_nothing() -> None:
    assert facts_of_messages("[]", MESSAGES) == ((), (), ())
    for reply in ("", "I cannot do that", '{"error": "busy"}', "[unfinished"):
        assert facts_of_messages(reply, MESSAGES) is None, reply


def test_a_text_without_a_word_in_common_belongs_to_the_last_source() -> None:
    assert find_source("quite other", MESSAGES) == 2
