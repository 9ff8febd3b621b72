from __future__ import annotations

import pytest

from domain.text.secret_scrub import REMOVED, Scrubber
from domain.workspace.answers.refusal import kept_answer, told_reason

KEY = "own-key-zebra-77-plain"
OWN = Scrubber([KEY])


def test_nothing_is_quoted_or_kept_of_a_secret_in_whatever_form_the_answer_has_it(subtests: pytest.Subtests) -> None:
    for answer in [
        f'{{"a": "{KEY}"}}',
        '{"a": "' + KEY.replace("-", "\\u002d") + '"}',
        '{"a": "' + KEY[:8] + "\u200b" + KEY[8:] + '"}',
        '{"a": "' + KEY[:8] + "\\u00ad" + KEY[8:] + '"}',
        '{"a": "' + KEY[:8] + "**" + KEY[8:] + '**"}',
        '{"a": "' + KEY[:8] + "\\n" + KEY[8:] + '"}',
    ]:
        with subtests.test(answer=answer):
            reason = f"next_steps 'use {KEY[:10]}'…: must have no markup"

            reason_text = told_reason(reason, answer, OWN.finds)

            assert reason_text == "its words are not told, for they hold a secret; it must have no markup"
            answer_text = kept_answer(answer, OWN)
            assert REMOVED in answer_text
            assert not OWN.finds(answer_text)


def test_a_reason_without_a_secret_is_told_and_an_answer_kept_as_they_are() -> None:
    assert told_reason("title 'x': must have no markup", "{}", OWN.finds) == "title 'x': must have no markup"
    assert kept_answer('{"a": "b\\n\\u0041"}', OWN) == '{"a": "b\\n\\u0041"}'


def test_a_reason_without_a_rule_of_its_own_is_not_told(subtests: pytest.Subtests) -> None:
    for reason in [f"odd {KEY}", f"a: must {KEY}"]:
        with subtests.test(reason=reason):
            assert told_reason(reason, "", OWN.finds) == "its words are not told, for they hold a secret"
