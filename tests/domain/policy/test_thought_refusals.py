"""Refusals about thoughts: a field is missed, or unwanted."""

from __future__ import annotations

import pytest

from domain.policy.refusal import Mend, read_refusal

MISSED = (
    ("pi#3636", "The `reasoning_content` in the thinking mode must be passed back to the API."),
    ("GitNexus#43", "Missing `reasoning_content` field in the assistant message at message index 2."),
    (
        "opencode#16318, continue#11711",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 19",
    ),
)
REFUSED = (
    (
        "jan#8136",
        "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property "
        "'reasoning_content' is unsupported)]",
    ),
    ("kilocode#10375", "messages.2.assistant.reasoning_content: property 'reasoning_content' is unsupported"),
    ("llxprt-code#2335", "messages.1.content.0: Invalid `signature` in `thinking` block"),
    ("openclaw#107221", "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."),
    ("opencode#4832", "Corrupted thought signature."),
)


@pytest.mark.req("X-221")
def test_a_refusal_about_thoughts_is_read_by_whether_they_are_missed() -> None:
    cases = ((MISSED, Mend.FILLED), (REFUSED, Mend.THOUGHTS))
    failures = [
        (source, words, read_refusal(words))
        for sentences, mend in cases
        for source, words in sentences
        if read_refusal(words).mends != {mend}
    ]
    assert not failures
