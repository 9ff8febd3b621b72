"""Google's generateContent, of Gemini's API and of Vertex AI. Pure.

Source:
    Google's API reference, "generateContent", "Content", "Candidate" and "UsageMetadata".
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.outcome import Outcome, events_of, kind_of_error
from lab.bench.recorded.talk import Called, LeftOutError, Picture, Result, Talk, Tool

_ENDS = {"MAX_TOKENS": "length", "MALFORMED_FUNCTION_CALL": "malformed", "UNEXPECTED_TOOL_CALL": "malformed"}
_FILTERS = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"})
_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


def snake(value: Any, depth: int = 6) -> Any:
    """Names of fields in snake case, also accepted by Google; values of arguments stay unchanged."""
    if isinstance(value, list):
        return [snake(each, depth) for each in value]
    if not isinstance(value, dict) or not depth:
        return value
    return {
        (name := _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", key)): each
        if name in ("args", "response", "parameters", "parameters_json_schema")
        else snake(each, depth - 1)
        for key, each in value.items()
    }


def read_request(exchange: Exchange) -> Talk:
    """The request as a talk."""
    body = snake(dict(exchange.request))
    if "TEXT" not in (body.get("generation_config") or {}).get("response_modalities", ["TEXT"]):
        raise LeftOutError("an answer without text (audio, images)")
    if body.get("cached_content"):
        raise LeftOutError("a conversation that the provider keeps")
    talk = Talk(model=exchange.path.partition("/models/")[2].partition(":")[0], has_ids=False)
    for tool in body.get("tools") or ():
        if set(tool) - {"function_declarations"}:
            raise LeftOutError("tools of the provider")
        for function in tool["function_declarations"]:
            schema = function.get("parameters_json_schema") or function.get("parameters") or {}
            talk.tools.append(Tool(function["name"], function.get("description") or "", schema))
    for part in (body.get("system_instruction") or {}).get("parts", ()):
        talk.note_system(part["text"])
    waiting: list[Called] = []
    for number, content in enumerate(body["contents"]):
        role = "assistant" if content.get("role") == "model" else "user"
        for part in content["parts"]:
            _read_part(talk, role, part, number, waiting)
    return talk


def _read_part(talk: Talk, role: str, part: Mapping[str, Any], number: int, waiting: list[Called]) -> None:
    if part.get("thought"):
        talk.without.add("thoughts of an earlier answer")
    elif "text" in part:
        talk.say(role, part["text"], number)
    elif "function_call" in part:
        call = part["function_call"]
        arguments = json.dumps(call.get("args") or {})
        place = sum(isinstance(item, Called) for item in talk.items)
        signature = part.get("thought_signature") or ""
        called = Called(f"call_{place}", call["name"], arguments, signature)
        talk.items.append(called)
        waiting.append(called)
    elif "function_response" in part:
        _read_result(talk, part["function_response"], waiting)
    elif data := part.get("inline_data") or part.get("file_data"):
        _read_data(talk, data, number)
    else:
        raise LeftOutError("tools of the provider")


def _read_result(talk: Talk, result: Mapping[str, Any], waiting: list[Called]) -> None:
    if result.get("parts"):
        talk.without.add("an image or a file in a tool's result")
    call = next((each for each in waiting if each.name == result["name"]), None)
    if call is None:
        raise LeftOutError("a result without a call")
    waiting.remove(call)
    response = result["response"]
    only = next(iter(response.values())) if isinstance(response, dict) and len(response) == 1 else response
    talk.items.append(Result(call.id, only if isinstance(only, str) else json.dumps(only)))


def _read_data(talk: Talk, data: Mapping[str, Any], number: int) -> None:
    kind = data.get("mime_type") or ""
    if not kind.startswith("image/"):
        talk.without.add({"audio": "audio", "video": "a video"}.get(kind.partition("/")[0], "a document"))
    else:
        talk.items.append(Picture(decode(data["data"]) if "data" in data else None, number))


def decode(data: str) -> bytes:
    """Bytes of either alphabet of base64, padded or not."""
    return base64.b64decode(data.replace("-", "+").replace("_", "/") + "=" * (-len(data) % 4))


def read_answer(exchange: Exchange) -> Outcome:
    """The answer as an outcome."""
    outcome = Outcome(has_ids=False)
    for chunk in events_of(exchange.body) if exchange.is_stream else [json.loads(exchange.body)]:
        if error := chunk.get("error"):
            return Outcome(fault=kind_of_error(error))
        if usage := chunk.get("usageMetadata"):
            outcome.prompt = usage.get("promptTokenCount") or 0
            outcome.completion = (usage.get("candidatesTokenCount") or 0) + (usage.get("thoughtsTokenCount") or 0)
            outcome.cached = usage.get("cachedContentTokenCount") or 0
        if (chunk.get("promptFeedback") or {}).get("blockReason"):
            outcome.ended = "filter"
        for candidate in (chunk.get("candidates") or ())[:1]:
            for part in (candidate.get("content") or {}).get("parts") or ():
                _add(outcome, part)
            if reason := candidate.get("finishReason"):
                outcome.ended = "filter" if reason in _FILTERS else _ENDS.get(reason, "stop")
    return outcome


def _add(outcome: Outcome, part: Mapping[str, Any]) -> None:
    if "inlineData" in part:
        raise LeftOutError("an answer without text (audio, images)")
    if part.get("text"):
        (outcome.thoughts if part.get("thought") else outcome.texts).append(part["text"])
    if call := part.get("functionCall"):
        outcome.calls.append(("", call["name"], json.dumps(call.get("args") or {})))
