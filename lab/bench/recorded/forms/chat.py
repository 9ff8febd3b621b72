"""OpenAI's chat completions, as answered by all servers of this form. Pure.

Source:
    OpenAI's API reference, "Chat"; Mistral's for content in parts with thoughts; DeepSeek's for `reasoning_content`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.outcome import Outcome, events_of, kind_of_error
from lab.bench.recorded.talk import Called, LeftOutError, Picture, Result, Talk, Tool

_ENDS = {"length": "length", "model_length": "length", "max_tokens": "length", "content_filter": "filter"}
_NOT_FOR_US = {"file": "a document", "document_url": "a document", "input_audio": "audio", "video_url": "a video"}


def read_request(exchange: Exchange) -> Talk:
    """The request as a talk."""
    body = exchange.request
    if body.get("modalities") not in (None, ["text"]):
        raise LeftOutError("an answer without text (audio, images)")
    talk = Talk(model=str(body.get("model", "")))
    for number, message in enumerate(body["messages"]):
        _read_message(talk, message, number)
    for tool in body.get("tools") or ():
        if tool.get("type", "function") != "function":
            raise LeftOutError("tools of the provider")
        function = tool["function"]
        talk.tools.append(Tool(function["name"], function.get("description") or "", function.get("parameters") or {}))
    return talk


def _read_message(talk: Talk, message: Mapping[str, Any], number: int) -> None:
    role, content = message["role"], message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    if role in ("system", "developer"):
        talk.note_system("\n\n".join(part.get("text", "") for part in parts))
    elif role == "tool":
        for part in parts:
            if part.get("type") != "text":
                talk.without.add("an image or a file in a tool's result")
        text = "\n".join(part["text"] for part in parts if part.get("type") == "text")
        talk.items.append(Result(message["tool_call_id"], text))
    else:
        for part in parts:
            _read_part(talk, role, part, number)
        if any(message.get(name) for name in ("reasoning_content", "reasoning", "reasoning_details")):
            talk.without.add("thoughts of an earlier answer")
        for call in message.get("tool_calls") or ():
            function = call["function"]
            talk.items.append(Called(call["id"], function["name"], function["arguments"]))


def _read_part(talk: Talk, role: str, part: Mapping[str, Any], number: int) -> None:
    kind = part.get("type")
    if kind == "text":
        talk.say(role, part["text"], number)
    elif kind == "image_url":
        address = part["image_url"]
        talk.items.append(picture_of(address if isinstance(address, str) else address["url"], number))
    elif kind == "thinking":
        talk.without.add("thoughts of an earlier answer")
    else:
        talk.without.add(_NOT_FOR_US.get(str(kind), f"a part of type {kind}"))


def picture_of(address: str, number: int) -> Picture:
    """An image in a data URL, or at an address elsewhere."""
    if not address.startswith("data:"):
        return Picture(None, number)
    return Picture(base64.b64decode(address.partition("base64,")[2]), number)


def read_answer(exchange: Exchange) -> Outcome:
    """The answer as an outcome."""
    outcome = Outcome()
    calls: dict[object, list[str]] = {}
    usage: Mapping[str, Any] = {}
    chunks = list(events_of(exchange.body)) if exchange.is_stream else [json.loads(exchange.body)]
    if not any(chunk.get("choices") or chunk.get("error") for chunk in chunks):
        return Outcome(fault="unreadable")
    for chunk in chunks:
        if error := chunk.get("error"):
            return Outcome(fault=kind_of_error(error))
        usage = chunk.get("usage") or usage
        for choice in (chunk.get("choices") or ())[:1]:
            message = choice.get("delta") or choice.get("message") or {}
            _add(outcome, calls, message, whole=not exchange.is_stream)
            if reason := choice.get("finish_reason"):
                outcome.ended = _ENDS.get(reason, "stop")
    outcome.calls = [(call[0], call[1], call[2]) for call in calls.values()]
    outcome.prompt, outcome.completion = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    details = usage.get("prompt_tokens_details") or {}
    outcome.cached = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or 0
    return outcome


def _add(outcome: Outcome, calls: dict[object, list[str]], message: Mapping[str, Any], *, whole: bool) -> None:
    if any(each.get("type") == "file" for each in message.get("annotations") or ()):
        raise LeftOutError("an answer with a document in it")
    content = message.get("content")
    parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    for part in parts:
        if part.get("type") == "text":
            outcome.texts.append(part["text"])
        elif part.get("type") == "thinking":
            outcome.thoughts += [each.get("text", "") for each in part["thinking"]]
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        outcome.refusals.append(refusal)
    outcome.thoughts += [
        message[name] for name in ("reasoning_content", "reasoning") if isinstance(message.get(name), str)
    ][:1]
    for place, call in enumerate(message.get("tool_calls") or ()):
        pieces = calls.setdefault(place if whole else call.get("index", place), ["", "", ""])
        function = call.get("function") or {}
        pieces[0] = pieces[0] or call.get("id") or ""
        pieces[1] += function.get("name") or ""
        arguments = function.get("arguments") or ""
        pieces[2] += arguments if isinstance(arguments, str) else json.dumps(arguments)
