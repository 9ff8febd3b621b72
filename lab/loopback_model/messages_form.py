"""Answers in the form of Anthropic's Messages, streamed, for a loopback model called by litellm as `anthropic/…`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from lab.loopback_model.answers import Answer, Raw, Received, Refusal
from lab.loopback_model.prefix_cache import Charge, PrefixCache


def messages_address(api_base: str) -> str:
    """`model.api_base` for a loopback model called in this form."""
    return api_base.removesuffix("/v1")


def last_words(received: Received) -> str:
    """Text of a request's last message, with the text of its tool results."""
    content = received.body["messages"][-1]["content"]
    parts = [{"text": content}] if isinstance(content, str) else content
    return "\n".join(str(part.get("text") or part.get("content") or "") for part in parts)


def is_result(received: Received) -> bool:
    """True if a request's last message holds a command's result."""
    content = received.body["messages"][-1]["content"]
    return not isinstance(content, str) and any(part.get("type") == "tool_result" for part in content)


def charged_answer(
    answer: Answer, received: Received, cache: PrefixCache, now_s: float
) -> tuple[Raw, Charge] | Refusal:
    """Bytes and charge of an answer, or the provider's refusal of invalid cache marks."""
    try:
        charge = cache.charge(received.body, now_s)
    except ValueError as error:
        return Refusal(400, str(error))
    return Raw(b"".join(_events(answer, received, charge)), "text/event-stream"), charge


def _events(answer: Answer, received: Received, charge: Charge) -> Iterator[bytes]:
    usage = {
        "input_tokens": charge.fresh,
        "cache_read_input_tokens": charge.read,
        "cache_creation_input_tokens": charge.stored,
        "output_tokens": 1,
    }
    begun = {
        "id": "msg_loopback",
        "type": "message",
        "role": "assistant",
        "model": received.body["model"],
        "content": [],
    }
    yield _event("message_start", message={**begun, "usage": usage})
    blocks: list[tuple[dict[str, Any], dict[str, Any]]] = []
    if answer.text:
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": answer.text}))
    for call in answer.calls:
        opening: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        blocks.append((opening, {"type": "input_json_delta", "partial_json": call.arguments}))
    for place, (block, delta) in enumerate(blocks):
        yield _event("content_block_start", index=place, content_block=block)
        yield _event("content_block_delta", index=place, delta=delta)
        yield _event("content_block_stop", index=place)
    reason = "tool_use" if answer.calls else "end_turn"
    written = {"output_tokens": max(1, len(answer.text) // 4)}
    yield _event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=written)
    yield _event("message_stop")


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: ".encode() + msgspec.json.encode({"type": kind, **fields}) + b"\n\n"
