"""Chunks of answers in OpenAI's and Ollama's own form: one JSON object of a server, reduced to the used fields."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from messages.base import make_ready


class Delta(msgspec.Struct):
    """Addition of a chunk to an answer; the fields have any type sent by a server."""

    content: object = None
    tool_calls: object = None
    function_call: object = None
    refusal: object = None
    reasoning_content: object = None
    reasoning: object = None
    reasoning_text: object = None
    thinking: object = None
    thought: object = None
    thoughts: object = None
    reasoning_details: object = None
    thinking_blocks: object = None


class Choice(msgspec.Struct):
    """The part of a chunk that belongs to a single answer."""

    delta: Delta | None = None
    message: Delta | None = None
    """Whole message, from a server that sends one event in place of many."""
    finish_reason: object = msgspec.UNSET
    """Absent from a server without reasons."""
    index: object = None
    error: object = None


class Chunk(msgspec.Struct):
    """One event, or a whole answer. Unread fields are skipped without being decoded."""

    choices: list[Choice] | None = None
    usage: object = None
    done: object = None
    """Ollama's mark of the end, in its own form."""
    done_reason: object = None
    response: object = None
    """Ollama's words of a completion."""
    error: object = None
    error_type: object = None
    error_message: object = None
    message: object = None
    """Words of an error; in Ollama's own form an addition to the answer."""
    msg: object = None
    detail: object = None
    code: object = None

    def parts(self) -> Sequence[Choice]:
        """The choices; for Ollama's own form a choice made of the addition."""
        if self.choices or not (isinstance(self.done, bool) or self.done_reason):
            return self.choices or ()
        message = self.message if isinstance(self.message, dict) else {"content": self.response}
        reason = self.done_reason or ("stop" if self.done else None)
        return (Choice(delta=msgspec.convert(message, Delta), finish_reason=reason),)

    def reported_error(self) -> object:
        """The error reported by a server in place of a part of the answer: an object or words.

        None without an error.
        """
        if self.error:
            return self.error
        if parts := self.parts():
            return next((choice.error for choice in parts if choice.error), None)
        message = self.error_message or self.message or self.msg or self.detail
        if isinstance(message, dict) or not (message or self.error_type):
            return None
        return {"message": message, "type": self.error_type, "code": self.code}


_DECODER = msgspec.json.Decoder(Chunk)


def chunk_of(data: bytes) -> Chunk | None:
    """Decode a JSON object as a chunk; None for other data.

    Servers that cut emojis in two send half a surrogate pair, which msgspec rejects. A choice that is no object leaves
    the other choices usable.
    """
    if not data.startswith(b"{"):
        return None
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        value = json.loads(data.decode("utf-8", "replace"))
        choices = value.get("choices")
        listed = choices if isinstance(choices, list) else ()
        sound = [_without_odd_fields(choice) for choice in listed if isinstance(choice, dict)]
        return msgspec.convert(value | {"choices": sound or None}, Chunk)
    except (ValueError, RecursionError):
        return None


def _without_odd_fields(choice: dict[str, object]) -> dict[str, object]:
    odd = {name for name in ("delta", "message") if not isinstance(choice.get(name), dict)}
    return {name: value for name, value in choice.items() if name not in odd}


make_ready(__name__)
