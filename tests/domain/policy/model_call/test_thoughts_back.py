"""Fields of thoughts that each provider gets back with the results of calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain.policy.model_call.thoughts_back import give_back, keep_own
from messages.base import Address, RequestId, Surface, Window
from messages.model import ChatMessage, ModelRequest, OwnThoughts, Role, ToolCall

SIGNED = {"type": "thinking", "thinking": "I list.", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "b3BhcXVl"}
BARE = {"type": "thinking", "thinking": "I list."}
DETAILS = [{"type": "reasoning.text", "text": "I list."}]
BESIDE = [{"google": {"thought_signature": "c2ln"}}]
CALL = ToolCall(id="call_1", name="bash", arguments_json="{}")


def request_with(fields: dict[str, Any], *, fills: bool = False, calls: tuple[ToolCall, ...] = (CALL,)) -> ModelRequest:
    own = OwnThoughts(model="m", fields_json=json.dumps(fields)) if fields else None
    return ModelRequest(
        request_id=RequestId("r"),
        reply_to=Address("test"),
        window=Window(surface=Surface.CLI, id="1"),
        system_prompt="You help.",
        messages=(
            ChatMessage(role=Role.USER, text="list"),
            ChatMessage(role=Role.ASSISTANT, text="", tool_calls=calls, thoughts=own),
        ),
        tools=(),
        fills_thoughts=fills,
    )


def given_to(provider: str, name: str, request: ModelRequest) -> dict[str, Any]:
    """Fields beyond those of any message, with what stands beside the first call."""
    calls = [{"id": call.id} for call in request.messages[1].tool_calls]
    answer: dict[str, Any] = {"role": "assistant"} | ({"tool_calls": calls} if calls else {})
    messages: list[dict[str, Any]] = [{"role": "system"}, {"role": "user"}, answer]
    *_, message = give_back(messages, request, provider, name)
    beside = [call["extra_content"] for call in message.get("tool_calls", ()) if "extra_content" in call]
    fields = {key: value for key, value in message.items() if key not in ("role", "tool_calls")}
    return fields | ({"beside": beside} if beside else {})


@pytest.mark.req("X-221")
def test_each_provider_gets_the_fields_that_it_takes() -> None:
    blocks, bare, mixed = ({"thinking_blocks": each} for each in ([SIGNED], [BARE], [SIGNED, REDACTED]))
    words, details = {"reasoning_content": "I list."}, {"reasoning_details": DETAILS}
    cases = {
        ("anthropic", "claude-sonnet-4-5"): ((blocks, blocks), (bare, {}), (mixed, mixed), (words, {})),
        ("bedrock", "us.anthropic.claude-sonnet-4"): ((blocks, blocks), (bare, {}), (mixed, {})),
        ("bedrock_converse", "anthropic.claude-sonnet-4"): ((blocks, blocks), (mixed, {})),
        ("bedrock", "invoke/us.anthropic.claude-sonnet-4"): ((blocks, blocks), (mixed, mixed)),
        ("vertex_ai", "claude-sonnet-4"): ((mixed, mixed),),
        ("vertex_ai", "gemini-2.5-pro"): ((mixed, {}), (words, {})),
        ("azure_ai", "Claude-Sonnet-4"): ((blocks, blocks),),
        ("azure_ai", "mistral-large"): ((blocks, {}), (words, {})),
        ("openai", "gpt-4.1"): ((words, {}), (details, {})),
        ("openrouter", "x/y"): ((words | details, details), (words, words)),
        ("", "x"): ((words | details, words | details), (bare | words, words)),
    }
    failures = []
    for (provider, name), exchanges in cases.items():
        for fields, wanted in exchanges:
            if (fields_sent := given_to(provider, name, request_with(fields))) != wanted:
                failures.append((provider, name, fields, fields_sent))
    assert not failures


@pytest.mark.req("X-221")
def test_fields_stand_beside_calls_alone_and_as_many_as_there_are() -> None:
    beside, words = {"extra_content": BESIDE}, {"reasoning_content": "I list."}
    assert given_to("", "x", request_with(beside)) == {"beside": BESIDE}
    assert given_to("", "x", request_with(beside, calls=(CALL, CALL))) == {}
    assert given_to("", "x", request_with(words, calls=())) == {}
    assert given_to("", "x", request_with({}, fills=True)) == {"reasoning_content": ""}
    assert given_to("", "x", request_with(words, fills=True)) == words
    assert given_to("", "x", request_with({}, fills=True, calls=())) == {}


def test_thoughts_of_another_model_are_left_out() -> None:
    request = request_with({"reasoning_content": "I list."})
    assert keep_own(request, "m") is request
    assert [message.thoughts for message in keep_own(request, "other").messages] == [None, None]
