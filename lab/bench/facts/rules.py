"""Rules of the model's server: the purpose of a call, for any calling system, and a sensible answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from domain.facts import prompts
from lab.bench.facts.words import MARK, facts_of
from lab.loopback_model.answers import Answer, Behaviour, Call, Received

FINAL = "final_result"
"""Tool for structured answers in the peer's library."""
_OURS_SUMMARIES = (
    prompts.BRIEF_PROMPT,
    prompts.STANDARD_PROMPT,
    prompts.CHUNK_PROMPT,
    prompts.META_PROMPT,
    prompts.ROLLING_PROMPT,
)
_SUMMARY_CHARS = 600


class CallKind(StrEnum):
    """Purpose of a call."""

    CHAT = "chat"
    EXTRACT = "extract"
    RECONCILE = "reconcile"
    SUMMARIZE = "summarize"
    EMBED = "embed"
    OTHER = "other"


def kind_of(request: Received) -> CallKind:
    """By the path, the tools, and our own prompts."""
    if request.path.endswith("/embeddings"):
        return CallKind.EMBED
    if not request.path.endswith("/chat/completions"):
        return CallKind.OTHER
    system = text_of(request, "system")
    wanted = _structure_of(request.body)
    if system.startswith(prompts.FACT_SYSTEM_PROMPT):
        return CallKind.EXTRACT
    if system.startswith(prompts.UPDATE_MEMORY_PROMPT) or (_is_structured(request.body) and '"UPDATE"' in system):
        return CallKind.RECONCILE
    if system.startswith(_OURS_SUMMARIES) or "summary" in wanted:
        return CallKind.SUMMARIZE
    return CallKind.EXTRACT if wanted else CallKind.CHAT


def answer_call(kind: CallKind, request: Received) -> Behaviour:
    """The answer to a call for chat, facts, reconciliation or a summary."""
    words = text_of(request, "user")
    match kind:
        case CallKind.EXTRACT:
            return _structure_answer(request, _extract(words))
        case CallKind.RECONCILE:
            return _structure_answer(request, reconcile_facts(words))
        case CallKind.SUMMARIZE:
            text = summary_of(words)
            return _structure_answer(request, {"summary": text}) if _structure_of(request.body) else Answer(text)
        case _:
            return Answer(f"I have noted that, {' '.join(MARK.findall(words)[-1:]) or 'as far as I can'}.", pieces=8)


def _extract(words: str) -> list[Any]:
    """Facts of one message, or of several with their numbers."""
    _, is_several, quoted = words.partition("as a JSON list:\n")
    if not is_several:
        return list(facts_of(_plain(words)))
    return [
        {"message": each["message"], "fact": fact} for each in json.loads(quoted) for fact in facts_of(each["text"])
    ]


def reconcile_facts(words: str) -> list[dict[str, Any]]:
    """All memories with an event each: existing facts stay, new facts are added."""
    lists = list(_lists(words))
    existing: list[dict[str, Any]] = next((each for each in lists if each and isinstance(each[0], dict)), [])
    new: list[str] = next((each for each in reversed(lists) if each and isinstance(each[0], str)), [])
    known = {each["text"] for each in existing}
    unchanged = [{"id": each["id"], "text": each["text"], "event": "NONE"} for each in existing]
    fresh = [text for text in new if text not in known]
    return [*unchanged, *({"id": len(unchanged) + n, "text": text, "event": "ADD"} for n, text in enumerate(fresh))]


def summary_of(words: str) -> str:
    """Words of the newest facts, in bounded length."""
    return f"The user keeps things in lockers. {' '.join(words.split())[-_SUMMARY_CHARS:]}"


def text_of(request: Received, role: str) -> str:
    """All words of one role, or the newest words of a person."""
    texts = [_words(message) for message in request.body.get("messages", ()) if message.get("role") == role]
    return texts[-1] if role == "user" and texts else "\n".join(texts)


def _words(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content)


def _plain(words: str) -> str:
    """Text of the person, from words that quote the text as a JSON string."""
    _, mark, quoted = words.partition("as a JSON string:\n")
    return str(json.loads(quoted)) if mark else words


def _lists(words: str) -> Iterator[list[Any]]:
    """The JSON lists in a text, in order."""
    decoder, at = json.JSONDecoder(), words.find("[")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(words, at)
        except ValueError:
            end = at + 1
        else:
            yield value
        at = words.find("[", end)


def _structure_of(body: dict[str, Any]) -> dict[str, Any]:
    """Properties of the structured answer requested by a tool; empty without such a tool."""
    for tool in body.get("tools") or ():
        function = tool.get("function", {})
        if function.get("name") == FINAL:
            properties: dict[str, Any] = function.get("parameters", {}).get("properties", {})
            return properties
    return {}


def _is_structured(body: dict[str, Any]) -> bool:
    return bool(body.get("response_format"))


def _structure_answer(request: Received, value: Any) -> Answer:
    """The value in the requested form: by a tool, wrapped in an object, or bare."""
    wanted = _structure_of(request.body)
    if wanted:
        arguments = value if isinstance(value, dict) else {next(iter(wanted)): value}
        return Answer(calls=(Call(FINAL, json.dumps(arguments)),))
    if _is_structured(request.body):
        return Answer(json.dumps({"response": value}))
    return Answer(json.dumps(value))
