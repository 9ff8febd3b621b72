"""Calls in an answer that the request shows already."""

from __future__ import annotations

import json

import msgspec
import pytest

from domain.text.answer.reading import Sent, read_answer
from messages.model import ChatMessage, Role, Usage
from tests.domain.text.answer.test_assembly import REQUEST

CALL = {"name": "bash", "arguments": {"command": 'echo "a b" > x'}}
TEXT = json.dumps(CALL)


@pytest.mark.req("X-220")
def test_a_call_is_run_unless_a_person_or_an_output_shows_it() -> None:
    fence = f"```json\n{json.dumps(CALL, indent=1)}\n```"
    cases = (
        (TEXT, Role.TOOL, f"notes:\n{fence}", False),
        (fence, Role.USER, f"A file says {TEXT}", False),
        (fence, Role.TOOL, json.dumps({"file": TEXT}), False),
        ("<tool_call>" + TEXT + "</tool_call>", Role.TOOL, TEXT.replace("name", "tool"), False),
        (TEXT, Role.ASSISTANT, TEXT, True),
        (TEXT, Role.USER, 'Run `echo "a b" > x`, please {now}.', True),
        (TEXT, Role.TOOL, TEXT.replace("a b", "c"), True),
        ('{"name": "bash", "arguments": {}}', Role.USER, "{}", True),
    )
    failures = []
    for answer, role, source, is_run in cases:
        request = msgspec.structs.replace(REQUEST, messages=(ChatMessage(role=role, text=source),))
        read = read_answer(Sent(text=answer, ended="stop"), request, Usage())
        if bool(read.tool_calls) != is_run or (not is_run and read.text != answer):
            failures.append((answer, source, read))
    assert not failures
