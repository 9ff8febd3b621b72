"""Places of memories in a request: everything else stays byte for byte."""

from __future__ import annotations

import json

import pytest

from domain.facts.block_place import BlockPlace, may_be_of_block
from domain.facts.chat_request import read_request, upstream_body

FIRST = '{"role":"user","content": "Hi \\ud83d"}'
SYSTEM = '{"role":"system","content":"Be short."}'
HISTORY = '{"role":"user","content":"a"},{"role":"assistant","content":"b"}'
PARTS = '{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}, {"type":"text","text":"c"}]}'
TOOL = '{"role":"assistant","tool_calls":[]},{"role":"tool","content":"r"}'
HEAD = "N\\n\\nCurrent message:\\n"


def body_with(messages: str, place: BlockPlace) -> str:
    body = f'{{"model":"m","messages":[{messages}]}}'.encode()
    placed = upstream_body(read_request(body), "N", place).decode()
    return placed.removeprefix('{"model":"m","messages":[').removesuffix("]}")


@pytest.mark.req("X-224")
def test_a_block_stands_at_its_place_and_all_else_is_byte_for_byte_as_it_came() -> None:
    block = '{"role":"system","content":"N"}'
    in_first = '{"role":"user","content":"' + HEAD + 'Hi \\ud83d"}'
    in_parts = PARTS.replace('[{"type":"image', '[{"type":"text","text":"' + HEAD + '"},{"type":"image')
    merged = SYSTEM.replace("short.", "short.\\n\\nN")
    empty = '{"role":"user","content":[]}'
    auto, question, system = BlockPlace.AUTO, BlockPlace.QUESTION, BlockPlace.SYSTEM
    cases: list[tuple[str, BlockPlace, str]] = [
        (FIRST, auto, f"{block},{FIRST}"),
        (f"{SYSTEM},{FIRST}", auto, f"{merged},{FIRST}"),
        (f"{FIRST},{TOOL}", auto, f"{block},{FIRST},{TOOL}"),
        (f"{HISTORY},{PARTS}", auto, f"{HISTORY},{in_parts}"),
        (f"{SYSTEM},{HISTORY},{FIRST},{TOOL}", auto, f"{SYSTEM},{HISTORY},{in_first},{TOOL}"),
        (f"{HISTORY},{empty}", auto, f"{block},{HISTORY},{empty}"),
        (FIRST, question, in_first),
        (f"{HISTORY},{FIRST}", system, f"{block},{HISTORY},{FIRST}"),
        (SYSTEM, question, merged),
    ]
    failures = [
        (messages, place, body) for messages, place, right in cases if (body := body_with(messages, place)) != right
    ]
    assert not failures


@pytest.mark.req("X-224")
def test_all_earlier_messages_of_a_conversation_stay_as_the_server_has_seen_them() -> None:
    """A conversation of four turns: each request begins as the one before, up to the question of that one."""
    turns: list[dict[str, str]] = [{"role": "system", "content": "Be short."}]
    before: list[dict[str, str]] = []
    for number in range(1, 5):
        turns.append({"role": "user", "content": f"question {number}"})
        body = json.dumps({"messages": turns}).encode()
        now = json.loads(upstream_body(read_request(body), f"memory {number}", BlockPlace.AUTO))["messages"]
        if number > 2:
            assert now[: len(before) - 1] == before[:-1]
        before = now
        turns.append({"role": "assistant", "content": f"answer {number}"})


@pytest.mark.req("X-224")
def test_refusals_that_may_be_of_a_block() -> None:
    cases = dict.fromkeys((400, 403, 404, 409, 413, 415, 422, 431, 500), True)
    cases |= dict.fromkeys((200, 301, 401, 402, 407, 408, 429, 501, 502, 503, 504, 529), False)
    assert {status: may_be_of_block(status, "rate limit") for status in cases} == cases
