from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.forms import chat, converse, generate, messages, responses
from lab.bench.recorded.providers import endpoint_of
from lab.bench.recorded.talk import LeftOutError, differences

PNG = "iVBORw0KGgoAAAANSUhEUg=="
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be short."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look."},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
            ],
        },
        {
            "role": "assistant",
            "content": "I ask.",
            "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": '{"city": "Rome"}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ],
    "tools": [{"type": "function", "function": {"name": "weather", "description": "Tells it.", "parameters": SCHEMA}}],
}


def exchange(path: str, body: dict[str, Any], host: str = "example.test", method: str = "POST") -> Exchange:
    return Exchange("file", 0, method, f"https://{host}{path}", body, 200, {}, b"{}")


def change(*steps: str | int, to: object) -> dict[str, Any]:
    """The request with another value at the end of `steps`."""
    body: Any = json.loads(json.dumps(CHAT))
    place = body
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = to
    assert isinstance(body, dict)
    return body


@pytest.mark.req("X-216")
def test_each_change_of_messages_calls_results_images_and_tools_is_a_difference_and_a_way_of_writing_is_none() -> None:
    call = ("messages", 2, "tool_calls", 0)
    tool = ("tools", 0, "function")
    seen: list[tuple[dict[str, Any], bool]] = [
        (change("messages", 0, "content", to="Be long."), True),
        (change("messages", 1, "content", 0, "text", to="Listen."), True),
        (change("messages", 1, "content", to="Look."), True),
        (change("messages", 1, "role", to="assistant"), True),
        (change("messages", 2, "content", to=None), True),
        (change(*call, "id", to="c2"), True),
        (change(*call, "function", "name", to="wind"), True),
        (change(*call, "function", "arguments", to='{"city": "Oslo"}'), True),
        (change("messages", 3, "content", to="rainy"), True),
        (change("messages", 3, "tool_call_id", to="c2"), True),
        (change("messages", to=[*CHAT["messages"], {"role": "user", "content": "And?"}]), True),
        (change(*tool, "description", to="Hides it."), True),
        (change(*tool, "parameters", "required", to=[]), True),
        (change(*tool, "parameters", "properties", "city", "type", to="number"), True),
        (change("tools", to=[]), True),
        (change(*call, "function", "arguments", to='{"city":"Rome"}'), False),
        (change("messages", 0, "content", to="Be  short.\n"), False),
        (change("messages", 1, "content", to=[*reversed(CHAT["messages"][1]["content"])]), False),
        (change(*tool, "parameters", "title", to="Weather"), False),
        (change("temperature", to=0), False),
    ]
    wanted = chat.read_request(exchange("/v1/chat/completions", CHAT))
    failures = []
    for body, differs in seen:
        talk = chat.read_request(exchange("/v1/chat/completions", body))
        if any(differences(wanted, talk)) != differs:
            failures.append((body, list(differences(wanted, talk))))
    assert not failures


@pytest.mark.req("X-216")
def test_all_forms_read_one_conversation_as_the_same_talk() -> None:
    anthropic = {
        "model": "m",
        "system": "Be short.",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look."},
                    {"type": "image", "source": {"type": "base64", "data": PNG}},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I ask."},
                    {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Rome"}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "sunny"}]},
        ],
        "tools": [{"name": "weather", "description": "Tells it.", "input_schema": SCHEMA}],
    }
    bedrock = {
        "system": [{"text": "Be short."}],
        "messages": [
            {"role": "user", "content": [{"text": "Look."}, {"image": {"format": "png", "source": {"bytes": PNG}}}]},
            {
                "role": "assistant",
                "content": [
                    {"text": "I ask."},
                    {"toolUse": {"toolUseId": "c1", "name": "weather", "input": {"city": "Rome"}}},
                ],
            },
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "sunny"}]}}]},
        ],
        "toolConfig": {
            "tools": [{"toolSpec": {"name": "weather", "description": "Tells it.", "inputSchema": {"json": SCHEMA}}}]
        },
    }
    google = {
        "systemInstruction": {"parts": [{"text": "Be short."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Look."}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]},
            {
                "role": "model",
                "parts": [{"text": "I ask."}, {"functionCall": {"name": "weather", "args": {"city": "Rome"}}}],
            },
            {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"result": "sunny"}}}]},
        ],
        "tools": [{"functionDeclarations": [{"name": "weather", "description": "Tells it.", "parameters": SCHEMA}]}],
    }
    openai = {
        "model": "m",
        "instructions": "Be short.",
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "Look."},
                    {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
                ],
            },
            {"role": "assistant", "content": "I ask."},
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Rome"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
        ],
        "tools": [{"type": "function", "name": "weather", "description": "Tells it.", "parameters": SCHEMA}],
    }
    wanted = chat.read_request(exchange("/v1/chat/completions", CHAT))
    read = {
        "messages": messages.read_request(exchange("/v1/messages", anthropic)),
        "converse": converse.read_request(exchange("/model/m/converse", bedrock)),
        "responses": responses.read_request(exchange("/v1/responses", openai)),
        "generate": generate.read_request(exchange("/v1beta/models/m:generateContent", google)),
    }
    unnumbered = replace(wanted, has_ids=False)
    failures = {
        name: list(differences(wanted if talk.has_ids else unnumbered, talk))
        for name, talk in read.items()
        if talk.model != "m" or any(differences(wanted if talk.has_ids else unnumbered, talk))
    }
    assert not failures


@pytest.mark.req("X-216")
def test_what_the_agent_never_asks_is_left_out_with_a_reason() -> None:
    message_body = {"messages": [{"role": "user", "content": "a"}], "model": "m"}
    cases = [
        (
            exchange("/v1/messages", message_body | {"tools": [{"type": "web_search_20250305", "name": "s"}]}),
            "tools of the provider",
        ),
        (exchange("/v1/chat/completions", message_body | {"modalities": ["text", "audio"]}), "without text"),
        (exchange("/v1/responses", {"input": "a", "model": "m", "previous_response_id": "r"}), "provider keeps"),
        (exchange("/v1/responses", {"input": "a", "model": "m", "background": True}), "fetched later"),
        (
            exchange("/v1beta/models/m:generateContent", {"contents": [], "tools": [{"googleSearch": {}}]}),
            "tools of the provider",
        ),
        (exchange("/v1/messages/count_tokens", message_body), "counts of tokens"),
        (exchange("/v1/files", {}), "files and stores"),
        (exchange("/sample.pdf", {}, method="GET"), "a download"),
        (exchange("/v2/chat", message_body), "does not call (…chat)"),
    ]
    failures = []
    for request_body, reason in cases:
        with pytest.raises(LeftOutError) as error:
            endpoint_of(request_body).form.read_request(request_body)
        if reason not in str(error.value):
            failures.append(f"{request_body.url}: {error.value}")
    assert not failures
