"""Serialisation of a request in OpenAI's form, with a history acceptable to every server and translator."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from actors.model.picture import refuse_image
from messages.model import ChatMessage, ImageFile, ModelRequest, Role, ToolCall, ToolSpec

_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
LONGEST_NAME = 64
_MISTRAL = re.compile("mistral|mixtral|ministral|codestral|devstral|magistral|pixtral")
_MISTRAL_ID = re.compile("[A-Za-z0-9]{9}")
_ANY_ID = re.compile(r".{0,64}", re.DOTALL)
_SIGNATURE = "__thought__"
"""Mark before Gemini's signature, kept by litellm in a call's id; other servers refuse so long an id."""

Look = Callable[[str, ImageFile], str]
"""Gives the address of an image in a folder of attachments; its `ValueError` gives the reason for not showing the
image."""


def messages_of(request: ModelRequest, look: Look = refuse_image) -> list[dict[str, Any]]:
    """The system prompt and the conversation; the same request with the same files always gives the same bytes."""
    system = [{"role": "system", "content": encodable(request.system_prompt)}] if request.system_prompt else []
    return system + [_message(message, request.attachments, look) for message in request.messages]


def without_signatures(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages for a server other than Gemini's: calls and results have ids without signatures."""
    return [_with_ids(message, lambda call_id: call_id.partition(_SIGNATURE)[0]) for message in messages]


def fit_ids(messages: list[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    """Messages whose calls have ids accepted by the model's server, whichever model called.

    Source:
        Mistral's models take nine letters and digits, also on other servers; OpenAI takes 64 characters.
    """
    rule = _MISTRAL_ID if _MISTRAL.search(model.lower()) else _ANY_ID
    return [
        _with_ids(message, lambda call_id: call_id if rule.fullmatch(call_id) else _short_id(call_id))
        for message in messages
    ]


def without_tool_calls(request: ModelRequest) -> ModelRequest:
    """A request without tools, with the calls of earlier turns and their results told in words.

    Some providers refuse a history with calls if no tools are offered.
    """
    if request.tools or not any(message.tool_calls for message in request.messages):
        return request
    return msgspec.structs.replace(request, messages=tuple(_in_words(message) for message in request.messages))


def tools_of(specs: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools; the caller may change the list.

    Raises:
        ValueError: the parameters of a tool are not JSON.
    """
    return copy.deepcopy(_tools(tuple(specs)))


@lru_cache(maxsize=16)
def _encode_tools(specs: tuple[ToolSpec, ...]) -> bytes:
    return msgspec.json.encode(_tools(specs))


def tools_json(specs: Sequence[ToolSpec]) -> msgspec.Raw:
    """The tools, encoded already, for a request encoded by msgspec.

    Raises:
        ValueError: the parameters of a tool are not JSON.
    """
    return msgspec.Raw(_encode_tools(tuple(specs)))


def encodable(text: str) -> str:
    """`text` with U+FFFD for each half of a surrogate pair, as UTF-8 cannot hold a half."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _in_words(message: ChatMessage) -> ChatMessage:
    if message.role is Role.TOOL:
        return ChatMessage(role=Role.USER, text=f"[result]\n{message.text}")
    if not message.tool_calls:
        return message
    calls = (f"[{call.name} was called: {call.arguments_json}]" for call in message.tool_calls)
    return ChatMessage(role=message.role, text="\n".join([part for part in (message.text, *calls) if part]))


def _with_ids(message: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    if "tool_call_id" in message:
        return message | {"tool_call_id": change(message["tool_call_id"])}
    if "tool_calls" in message:
        return message | {"tool_calls": [call | {"id": change(call["id"])} for call in message["tool_calls"]]}
    return message


def _short_id(call_id: str) -> str:
    return hashlib.blake2b(call_id.encode("utf-8", "replace"), digest_size=8).hexdigest()[:9]


def _message(message: ChatMessage, folder: str, look: Look) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": message.role.value, "content": _content(message, folder, look)}
    if message.role is Role.TOOL:
        entry["tool_call_id"] = encodable(message.tool_call_id)
    if message.tool_calls:
        entry["content"] = entry["content"] or None
        entry["tool_calls"] = [_tool_call(call) for call in message.tool_calls]
    return entry


def _content(message: ChatMessage, folder: str, look: Look) -> str | list[dict[str, Any]]:
    """The text, with the message's visible images, if any; with the reason for each image left out."""
    text, images = encodable(message.text), list[dict[str, Any]]()
    for image in message.images:
        try:
            images.append({"type": "image_url", "image_url": {"url": look(folder, image)}})
        except ValueError as error:
            text += f"\n[{encodable(image.path)} is not shown to you: {encodable(str(error))}]"
    words = [{"type": "text", "text": text}] if text.strip() else []  # some providers refuse an empty part
    return [*words, *images] if images else text


def _tool_call(call: ToolCall) -> dict[str, Any]:
    """A call in a form that can be repeated: providers refuse a history with a malformed call."""
    name = _NOT_IN_NAMES.sub("_", call.name)[:LONGEST_NAME] or "unnamed"
    function = {"name": name, "arguments": _arguments(call.arguments_json)}
    return {"id": encodable(call.id), "type": "function", "function": function}


def _arguments(arguments_json: str) -> str:
    try:
        is_object = isinstance(json.loads(arguments_json), dict)
    except (ValueError, RecursionError):
        is_object = False
    return encodable(arguments_json) if is_object else json.dumps({"malformed": encodable(arguments_json)})


@lru_cache(maxsize=16)
def _tools(specs: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": spec.name,
                "description": encodable(spec.description),
                "parameters": json.loads(spec.parameters_json),
            },
        }
        for spec in specs
    ]
