"""OpenAI's Responses. Pure.

Source:
    OpenAI's API reference, "Responses" and "Streaming events".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.forms.chat import picture_of
from lab.bench.recorded.outcome import Outcome, events_of, kind_of_error
from lab.bench.recorded.talk import Called, LeftOutError, Picture, Result, Talk, Tool

_KEPT_THERE = ("previous_response_id", "conversation")
_ENDS = {"max_output_tokens": "length", "content_filter": "filter"}


def read_request(exchange: Exchange) -> Talk:
    """The request as a talk."""
    body = exchange.request
    if any(body.get(name) for name in _KEPT_THERE):
        raise LeftOutError("a conversation that the provider keeps")
    if body.get("background"):
        raise LeftOutError("an answer that is fetched later (background)")
    if body.get("context_management"):
        raise LeftOutError("a conversation that the provider shortens")
    talk = Talk(model=body.get("model") or "")
    talk.note_system(body.get("instructions"))
    for tool in body.get("tools") or ():
        if tool["type"] != "function" or tool.get("defer_loading"):
            raise LeftOutError("tools of the provider")
        talk.tools.append(Tool(tool["name"], tool.get("description") or "", tool.get("parameters") or {}))
    items = body["input"]
    for number, item in enumerate([{"role": "user", "content": items}] if isinstance(items, str) else items):
        _read_item(talk, item, number)
    return talk


def _read_item(talk: Talk, item: Mapping[str, Any], number: int) -> None:
    match item.get("type", "message"):
        case "message":
            content, role = item["content"], item["role"]
            for part in [{"type": "input_text", "text": content}] if isinstance(content, str) else content:
                _read_part(talk, role, part, number)
        case "function_call":
            talk.items.append(Called(item["call_id"], item["name"], item["arguments"]))
        case "function_call_output":
            output = item["output"]
            parts = [{"type": "input_text", "text": output}] if isinstance(output, str) else output
            if any(part["type"] != "input_text" for part in parts):
                talk.without.add("an image or a file in a tool's result")
            text = "\n".join(part["text"] for part in parts if part["type"] == "input_text")
            talk.items.append(Result(item["call_id"], text))
        case "reasoning":
            talk.without.add("thoughts of an earlier answer")
        case "item_reference":
            raise LeftOutError("a conversation that the provider keeps")
        case "compaction":
            raise LeftOutError("a conversation that the provider shortens")
        case _:
            raise LeftOutError("tools of the provider")


def _read_part(talk: Talk, role: str, part: Mapping[str, Any], number: int) -> None:
    match part["type"]:
        case "input_text" | "output_text" if role in ("system", "developer"):
            talk.note_system(part["text"])
        case "input_text" | "output_text":
            talk.say(role, part["text"], number)
        case "input_image":
            address = part.get("image_url")
            talk.items.append(picture_of(address, number) if address else Picture(None, number))
        case "input_file":
            talk.without.add("a document")
        case kind:
            talk.without.add(f"a part of type {kind}")


def read_answer(exchange: Exchange) -> Outcome:
    """The answer as an outcome."""
    if not exchange.is_stream:
        return _outcome(json.loads(exchange.body))
    ends = [event["response"] for event in events_of(exchange.body) if event["type"] in _LAST_EVENTS]
    return _outcome(ends[-1]) if ends else Outcome()


_LAST_EVENTS = ("response.completed", "response.incomplete", "response.failed")


def _outcome(answer: Mapping[str, Any]) -> Outcome:
    if error := answer.get("error"):
        return Outcome(fault=kind_of_error(error))
    outcome = Outcome()
    if answer.get("status") == "incomplete":
        outcome.ended = _ENDS.get((answer.get("incomplete_details") or {}).get("reason", ""), "length")
    for item in answer.get("output") or ():
        match item["type"]:
            case "message":
                for part in item["content"]:
                    if part["type"] == "output_text":
                        outcome.texts.append(part["text"])
                    elif part["type"] == "refusal":
                        outcome.refusals.append(part["refusal"])
            case "function_call":
                outcome.calls.append((item["call_id"], item["name"], item["arguments"]))
            case "reasoning":
                outcome.thoughts += [part["text"] for part in item.get("summary") or ()]
            case _:
                pass
    usage = answer.get("usage") or {}
    outcome.prompt, outcome.completion = usage.get("input_tokens") or 0, usage.get("output_tokens") or 0
    outcome.cached = (usage.get("input_tokens_details") or {}).get("cached_tokens") or 0
    return outcome
