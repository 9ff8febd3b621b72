"""Questions of a kill campaign, and the answers of its model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lab.chaos.kills.texts import (
    BIG,
    HOSTILE,
    HUGE,
    MALFORMED,
    MESSAGE_LIMIT,
    PAGE_LINES,
    PLAIN,
    TOOL,
    WANTS,
    answer,
    parts_of,
    question,
    read_question,
    respond,
)
from lab.loopback_model.answers import Received

TOKEN = "q-0123456789ab"


def request_of(text: str, *more: dict[str, Any]) -> Received:
    messages = [{"role": "system", "content": "be kind"}, {"role": "user", "content": text}, *more]
    return Received("/v1/chat/completions", {}, {"messages": messages, "tools": [{}]}, b"")


def test_a_question_can_be_told_whatever_stands_behind_it() -> None:
    for body in HOSTILE:
        text = question(TOKEN, PLAIN, body)
        assert len(text) <= MESSAGE_LIMIT
        assert read_question(text) == (TOKEN, PLAIN), body
        with_memories = f'INJECTED_CONTEXT_RELEVANT_MEMORIES\n{{"x": "q-ffffffffffff wants=tool y"}}\n\n{text}'
        assert respond(request_of(with_memories)).text == answer(TOKEN, PLAIN), body


def test_every_wish_ends_in_a_whole_answer_of_its_own_and_a_command_leaves_a_mark() -> None:
    for wants in WANTS:
        last = respond(request_of(question(TOKEN, wants, "x"), {"role": "tool", "content": "done"}))
        parts = parts_of(last.text)
        assert (parts.begun, parts.ended, last.calls) == ((TOKEN,), (TOKEN,), ()), wants
        assert [number for _, number, _ in parts.lines] == list(range(1, parts.lines[0][2] + 1)), wants
    assert PAGE_LINES * 80 < len(answer(TOKEN, HUGE)) > 100_000
    assert parts_of(respond(request_of("hello")).text).begun == ()
    for wants in (TOOL, BIG):
        (call,) = respond(request_of(question(TOKEN, wants, "x"))).calls
        assert json.loads(call.arguments)["command"].startswith(f"echo {TOKEN} >> ran;")


def test_malformed_calls_are_malformed() -> None:
    calls = respond(request_of(question(TOKEN, MALFORMED, "x"))).calls
    assert [call.name for call in calls] == ["bash", "no_such_tool", None]
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(calls[0].arguments)
