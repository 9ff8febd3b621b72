"""Amazon Bedrock's Converse and ConverseStream. Pure.

Source:
    Amazon's API reference, "Converse" and "ConverseStream"; the framing of streams from "Event stream encoding".
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.outcome import Outcome
from lab.bench.recorded.talk import Called, LeftOutError, Picture, Result, Talk, Tool

_ENDS = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filtered": "filter",
    "guardrail_intervened": "filter",
    "malformed_model_output": "malformed",
    "malformed_tool_use": "malformed",
    "refusal": "refusal",
}
_PRELUDE, _CHECKSUM = 12, 4


def read_request(exchange: Exchange) -> Talk:
    """The request as a talk."""
    body = exchange.request
    talk = Talk(model=exchange.path.partition("/model/")[2].rpartition("/")[0])
    for tool in (body.get("toolConfig") or {}).get("tools", ()):
        if "systemTool" in tool:
            raise LeftOutError("tools of the provider")
        if "toolSpec" in tool:
            spec = tool["toolSpec"]
            talk.tools.append(Tool(spec["name"], spec.get("description") or "", spec["inputSchema"]["json"]))
    for part in body.get("system") or ():
        talk.note_system(part.get("text"))
    for number, message in enumerate(body["messages"]):
        for part in message["content"]:
            _read_part(talk, message["role"], part, number)
    return talk


def _read_part(talk: Talk, role: str, part: Mapping[str, Any], number: int) -> None:
    match part:
        case {"text": text}:
            talk.say(role, text, number)
        case {"image": {"source": {"bytes": data}}}:
            talk.items.append(Picture(base64.b64decode(data), number))
        case {"image": _}:
            talk.items.append(Picture(None, number))
        case {"toolUse": call} if call.get("type") != "server_tool_use":
            talk.items.append(Called(call["toolUseId"], call["name"], json.dumps(call["input"])))
        case {"toolResult": result} if role == "user":
            if any("text" not in each and "json" not in each for each in result["content"]):
                talk.without.add("an image or a file in a tool's result")
            texts = (
                each["text"] if "text" in each else json.dumps(each["json"])
                for each in result["content"]
                if {"text", "json"} & set(each)
            )
            talk.items.append(Result(result["toolUseId"], "\n".join(texts)))
        case {"reasoningContent": _}:
            talk.without.add("thoughts of an earlier answer")
        case {"document": _}:
            talk.without.add("a document")
        case {"video": _} | {"audio": _}:
            talk.without.add("a video" if "video" in part else "audio")
        case {"cachePoint": _}:
            pass
        case _:
            raise LeftOutError("tools of the provider")


def read_answer(exchange: Exchange) -> Outcome:
    """The answer as an outcome."""
    if not exchange.is_stream:
        answer = json.loads(exchange.body)
        message = (answer.get("output") or {}).get("message") or {}
        return _outcome(message.get("content") or [], answer.get("stopReason"), answer.get("usage") or {})
    blocks: dict[int, dict[str, Any]] = {}
    reason, usage = None, dict[str, Any]()
    for kind, event in _events(exchange.body):
        match kind:
            case "contentBlockStart":
                start = event["start"].get("toolUse")
                blocks[event["contentBlockIndex"]] = {"toolUse": {**start, "json": ""}} if start else {}
            case "contentBlockDelta":
                _extend(blocks.setdefault(event["contentBlockIndex"], {}), event["delta"])
            case "messageStop":
                reason = event.get("stopReason")
            case "metadata":
                usage = event.get("usage") or {}
            case _:
                pass
    return _outcome(list(blocks.values()), reason, usage)


def _events(body: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Type and payload of each message: two lengths and a checksum, headers, payload, checksum."""
    while body:
        whole, heads = int.from_bytes(body[:4]), int.from_bytes(body[4:8])
        head = body[_PRELUDE : _PRELUDE + heads]
        payload = body[_PRELUDE + heads : whole - _CHECKSUM]
        _, _, rest = head.partition(b":event-type\x07")
        yield rest[2 : 2 + int.from_bytes(rest[:2])].decode(), json.loads(payload or b"{}")
        body = body[whole:]


def _extend(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    elif isinstance(call := delta.get("toolUse"), dict):
        block["toolUse"]["json"] += call["input"]
    elif reasoning := delta.get("reasoningContent"):
        inner = block.setdefault("reasoningContent", {"reasoningText": {"text": ""}})
        inner["reasoningText"]["text"] += reasoning.get("text") or ""


def _outcome(blocks: list[dict[str, Any]], reason: str | None, usage: Mapping[str, Any]) -> Outcome:
    outcome = Outcome(ended=_ENDS.get(reason or "", "stop"))
    for block in blocks:
        match block:
            case {"text": text}:
                outcome.texts.append(text)
            case {"toolUse": call} if call.get("type") != "server_tool_use":
                outcome.calls.append(
                    (call["toolUseId"], call["name"], call.get("json") or json.dumps(call.get("input")))
                )
            case {"reasoningContent": {"reasoningText": {"text": thought}}}:
                outcome.thoughts.append(thought)
            case _:
                pass
    outcome.cached = usage.get("cacheReadInputTokens") or 0
    written = usage.get("cacheWriteInputTokens") or 0
    outcome.prompt = (usage.get("inputTokens") or 0) + outcome.cached + written
    outcome.completion = usage.get("outputTokens") or 0
    return outcome
