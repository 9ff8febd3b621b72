"""Thoughts sent back to the thinking model within the turn: the fields accepted by each provider.

Signatures and forms belong to one model, so no other model gets the thoughts. Providers not known to want or to
refuse such fields get the fields unchanged: a server that refuses the fields is asked once more without, and a server
that misses lost thoughts (by a restart, or of an earlier turn) is asked once more with empty thoughts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from domain.text.answer.kept_thoughts import BESIDE_CALLS, BLOCKS, DETAILS, WORDS
from messages.model import ModelRequest, Role

_SIGNED_FIELDS: Mapping[str, re.Pattern[str]] = {
    "anthropic": re.compile(""),
    "azure_ai": re.compile("claude"),
    "bedrock": re.compile(""),
    "bedrock_converse": re.compile(""),
    "vertex_ai": re.compile("claude"),
}
"""Provider, in litellm's naming -> names of the provider's models whose signed blocks go back."""
_CONVERSE, _INVOKE = frozenset({"bedrock", "bedrock_converse"}), "invoke/"
"""Providers whose models are asked by Converse, and the beginning of the names of the other models."""
_NOTHING = frozenset(
    {"openai", "azure", "azure_ai", "gemini", "vertex_ai", "groq", "cerebras", "mistral", "xai", "ollama_chat"}
)
"""Providers that refuse or ignore thought fields, or get signatures elsewhere: Gemini's are in the ids of calls."""


def keep_own(request: ModelRequest, model: str) -> ModelRequest:
    """Request without thoughts of other models than `model`; the same object without such thoughts."""
    if all(message.thoughts is None or message.thoughts.model == model for message in request.messages):
        return request
    return without_thoughts(request, of_others_than=model)


def without_thoughts(request: ModelRequest, *, of_others_than: str | None = None) -> ModelRequest:
    """Request without thoughts; the same object if the request has no thoughts.

    Args:
        request: Any.
        of_others_than: Model whose thoughts stay; None for no model.
    """
    if all(message.thoughts is None for message in request.messages):
        return request
    messages = (
        message
        if message.thoughts is None or message.thoughts.model == of_others_than
        else msgspec.structs.replace(message, thoughts=None)
        for message in request.messages
    )
    return msgspec.structs.replace(request, messages=tuple(messages))


def give_back(
    messages: Sequence[dict[str, Any]], request: ModelRequest, provider: str, name: str
) -> list[dict[str, Any]]:
    """Messages in OpenAI's form, with the fields of thoughts accepted by the provider.

    Args:
        messages: The system prompt, if there is one, and the request's messages.
        request: The same request; the thoughts are the asked model's own.
        provider: Provider, in litellm's naming.
        name: The model's name there.
    """
    entries = list(messages)
    before = len(messages) - len(request.messages)
    for place, message in enumerate(request.messages, before):
        entry = entries[place]
        if message.role is not Role.ASSISTANT or not entry.get("tool_calls"):
            continue
        fields = _fields(message.thoughts.fields_json, provider, name) if message.thoughts is not None else {}
        beside = fields.pop(BESIDE_CALLS, None)
        if request.fills_thoughts and not fields:
            fields = {WORDS[0]: ""}
        if isinstance(beside, list) and len(beside) == len(entry["tool_calls"]):
            calls = zip(entry["tool_calls"], beside, strict=True)
            fields["tool_calls"] = [call | ({BESIDE_CALLS: extra} if extra else {}) for call, extra in calls]
        entries[place] = entry | fields if fields else entry
    return entries


def _fields(fields_json: str, provider: str, name: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(fields_json)
    signed = _SIGNED_FIELDS.get(provider)
    if signed is not None and signed.search(name.lower()):
        blocks = [block for block in fields.get(BLOCKS, ()) if block.get("signature") or block.get("data")]
        return {BLOCKS: blocks} if blocks and not _loses_redacted(blocks, provider, name) else {}
    if provider in _NOTHING:
        return {}
    words = next(((each, fields[each]) for each in WORDS if each in fields), None)
    if provider == "openrouter" and DETAILS in fields:
        words = None  # the details hold the words
    thoughts = {each: fields[each] for each in (DETAILS, BESIDE_CALLS) if each in fields}
    return thoughts if words is None else thoughts | dict((words,))


def _loses_redacted(blocks: Sequence[Mapping[str, Any]], provider: str, name: str) -> bool:
    """True if a redacted block gets lost on the way; then all stay here, since servers refuse a partial set.

    litellm has no place for redacted blocks in Bedrock's Converse; Invoke takes redacted blocks.
    """
    return provider in _CONVERSE and not name.startswith(_INVOKE) and any(block.get("data") for block in blocks)
