"""Anthropic's Messages. Pure.

Source:
    Anthropic's API reference, "Messages" and "Streaming messages".
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.outcome import Outcome, events_of, kind_of_error
from lab.bench.recorded.talk import Called, LeftOutError, Picture, Result, Talk, Tool

_ENDS = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
_OF_THE_PROVIDER = ("server_tool_use", "mcp_tool_use", "container_upload", "tool_reference")


def read_request(exchange: Exchange) -> Talk:
    """The request as a talk."""
    body = exchange.request
    if body.get("mcp_servers") or body.get("container"):
        raise LeftOutError("tools of the provider")
    talk = Talk(model=body["model"])
    for tool in body.get("tools") or ():
        if tool.get("type", "custom") != "custom" or tool.get("defer_loading"):
            raise LeftOutError("tools of the provider")
        talk.tools.append(Tool(tool["name"], tool.get("description") or "", tool["input_schema"]))
    for part in _parts(body.get("system")):
        talk.note_system(part["text"])
    for number, message in enumerate(body["messages"]):
        for part in _parts(message["content"]):
            if message["role"] == "system":
                talk.note_system(part.get("text"))
            else:
                _read_part(talk, message["role"], part, number)
    return talk


def _parts(content: object) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def _read_part(talk: Talk, role: str, part: Mapping[str, Any], number: int) -> None:
    kind = part["type"]
    match kind:
        case "text":
            talk.say(role, part["text"], number)
        case "image":
            source = part["source"]
            talk.items.append(Picture(base64.b64decode(source["data"]) if source["type"] == "base64" else None, number))
        case "tool_use":
            talk.items.append(Called(part["id"], part["name"], json.dumps(part["input"])))
        case "tool_result":
            inner = _parts(part.get("content"))
            if any(each["type"] == "tool_reference" for each in inner):
                raise LeftOutError("tools of the provider")
            if any(each["type"] != "text" for each in inner):
                talk.without.add("an image or a file in a tool's result")
            text = "\n".join(each["text"] for each in inner if each["type"] == "text")
            talk.items.append(Result(part["tool_use_id"], text))
        case "thinking" | "redacted_thinking":
            talk.without.add("thoughts of an earlier answer")
        case "document":
            talk.without.add("a document")
        case _ if kind in _OF_THE_PROVIDER or kind.endswith("_tool_result"):
            raise LeftOutError("tools of the provider")
        case _:
            talk.without.add(f"a part of type {kind}")


def read_answer(exchange: Exchange) -> Outcome:
    """The answer as an outcome."""
    if not exchange.is_stream:
        answer = json.loads(exchange.body)
        return _outcome(answer["content"], answer.get("stop_reason"), answer.get("usage") or {})
    blocks: dict[int, dict[str, Any]] = {}
    reason, usage = None, dict[str, Any]()
    for event in events_of(exchange.body):
        match event["type"]:
            case "error":
                return Outcome(fault=kind_of_error(event["error"]))
            case "message_start":
                usage |= event["message"].get("usage") or {}
            case "content_block_start":
                blocks[event["index"]] = {**event["content_block"], "json": ""}
            case "content_block_delta":
                _extend(blocks[event["index"]], event["delta"])
            case "message_delta":
                reason = event["delta"].get("stop_reason") or reason
                usage |= {name: count for name, count in (event.get("usage") or {}).items() if count is not None}
            case _:
                pass
    return _outcome(list(blocks.values()), reason, usage)


def _extend(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    for name, into in (("text", "text"), ("thinking", "thinking"), ("partial_json", "json")):
        if name in delta:
            block[into] = block.get(into, "") + delta[name]


def _outcome(blocks: list[dict[str, Any]], reason: str | None, usage: Mapping[str, Any]) -> Outcome:
    outcome = Outcome(ended=_ENDS.get(reason or "", "stop"))
    for block in blocks:
        match block["type"]:
            case "text":
                outcome.texts.append(block["text"])
            case "thinking":
                outcome.thoughts.append(block["thinking"])
            case "tool_use":
                outcome.calls.append((block["id"], block["name"], block.get("json") or json.dumps(block["input"])))
            case _:
                pass
    for part in usage.get("iterations") or [usage]:  # the whole names the last of several only
        cached = part.get("cache_read_input_tokens") or 0
        outcome.cached += cached
        outcome.prompt += sum(_counts(part)) + cached
        outcome.completion += part.get("output_tokens") or 0
    return outcome


def _counts(usage: Mapping[str, Any]) -> Iterator[int]:
    for name in ("input_tokens", "cache_creation_input_tokens"):
        yield usage.get(name) or 0
