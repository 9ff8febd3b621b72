"""Chat request as it passes through the gateway: read as far as a memory needs, and otherwise not touched.

A value that is not ours goes on byte for byte, whatever it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import Raw

from messages.facts import FactHit

MOST_ID_CHARS = 500
MOST_TOP_K = 200
OWN_FIELDS = ("memory_id", "memory_top_k", "memory_hits")
_SYSTEM = ("system", "developer")
_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_LIST = msgspec.json.Decoder(list[Raw])
_ENCODER = msgspec.json.Encoder()


class RequestError(ValueError):
    """A request that cannot be understood; the text names the value and the rule."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a memory needs to know of a request."""

    body: bytes
    model: str
    stream: bool
    memory_id: str | None
    memory_top_k: int | None
    wants_hits: bool
    question: str
    """Text of the last message of the user's; empty for none."""
    ends_with_user: bool
    """Whether that is the last message, system messages apart."""
    texts: tuple[str, ...]
    """Of all messages."""
    _fields: dict[str, Raw] = field(repr=False)
    _messages: list[Raw] = field(repr=False)


def read_request(body: bytes) -> ChatRequest:
    """The request that a body is.

    Raises:
        RequestError: it is none, or one of our fields breaks its rule.
    """
    try:
        fields = _FIELDS.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"the body must be a JSON object: {error}") from error
    except RecursionError as error:
        raise RequestError("the body must be a JSON object, not one nested so deeply") from error
    if "messages" not in fields:
        raise RequestError("messages: it is missing; a list of at least one message is required", "messages")
    try:
        messages = _LIST.decode(fields["messages"])
    except msgspec.DecodeError as error:
        raise RequestError("messages: a list of at least one message is required", "messages") from error
    if not messages:
        raise RequestError("messages: it is empty; a list of at least one message is required", "messages")
    spoken = [_spoken(raw) for raw in messages]
    said = [each for each in spoken if each[0] not in _SYSTEM]
    question = next((text for role, text in reversed(said) if role == "user"), "")
    return ChatRequest(
        body=body,
        model=str(_plain(fields, "model", str) or ""),
        stream=bool(_plain(fields, "stream", bool)),
        memory_id=_memory_id(fields),
        memory_top_k=_memory_top_k(fields),
        wants_hits=bool(_plain(fields, "memory_hits", bool)),
        question=question,
        ends_with_user=bool(said) and said[-1][0] == "user",
        texts=tuple(text for _, text in spoken if text),
        _fields=fields,
        _messages=messages,
    )


def upstream_body(request: ChatRequest, block: str) -> bytes:
    """The body that goes on: without our fields, and with `block` in its first system message, if there is any."""
    is_ours = any(name in request._fields for name in OWN_FIELDS)
    if not block and not is_ours:
        return request.body
    fields = {name: value for name, value in request._fields.items() if name not in OWN_FIELDS}
    if block:
        fields["messages"] = Raw(_ENCODER.encode(_with_block(request._messages, block)))
    return _ENCODER.encode(fields)


def with_hits(answer: bytes, hits: Sequence[FactHit]) -> bytes:
    """An answer with the key `memory_hits`; one that is no JSON object stays as it is."""
    try:
        fields = _FIELDS.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return answer
    listed = [msgspec.structs.asdict(hit) for hit in hits]
    return _ENCODER.encode(fields | {"memory_hits": Raw(_ENCODER.encode(listed))})


def text_of(content: object) -> str:
    """Text of a message's content: itself, or its text parts, a line each."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in ("text", None)]
    return "\n".join(part for part in parts if isinstance(part, str))


def _spoken(raw: Raw) -> tuple[str, str]:
    """Role and text of a message; nothing of one that is none."""
    message = _decoded(raw)
    if not isinstance(message, dict):
        return "", ""
    role = message.get("role")
    return role if isinstance(role, str) else "", text_of(message.get("content"))


def _decoded(raw: bytes | Raw) -> object:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _plain(fields: dict[str, Raw], name: str, kind: type) -> object:
    value = _decoded(fields[name]) if name in fields else None
    return value if isinstance(value, kind) else None


def _memory_id(fields: dict[str, Raw]) -> str | None:
    if "memory_id" not in fields or bytes(fields["memory_id"]) == b"null":
        return None
    value = _decoded(fields["memory_id"])
    if not isinstance(value, str) or not value.strip() or len(value) > MOST_ID_CHARS:
        shown = bytes(fields["memory_id"])[:60].decode("utf-8", "replace")
        raise RequestError(f"memory_id {shown}: a text of 1 to {MOST_ID_CHARS} characters is required", "memory_id")
    return value


def _memory_top_k(fields: dict[str, Raw]) -> int | None:
    if "memory_top_k" not in fields or bytes(fields["memory_top_k"]) == b"null":
        return None
    value = _decoded(fields["memory_top_k"])
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_TOP_K:
        shown = bytes(fields["memory_top_k"])[:60].decode("utf-8", "replace")
        raise RequestError(f"memory_top_k {shown}: a whole number from 0 to {MOST_TOP_K} is required", "memory_top_k")
    return value


def _with_block(messages: list[Raw], block: str) -> list[Raw]:
    """The messages with the block: in the first one if that is the system's, else before it."""
    try:
        fields = _FIELDS.decode(messages[0])
    except (msgspec.DecodeError, RecursionError):
        fields = {}
    if _plain(fields, "role", str) not in _SYSTEM:
        return [Raw(_ENCODER.encode({"role": "system", "content": block})), *messages]
    content = _decoded(fields["content"]) if "content" in fields else None
    if isinstance(content, list):
        parts = _LIST.decode(fields["content"])
        merged = _ENCODER.encode([*parts, Raw(_ENCODER.encode({"type": "text", "text": block}))])
    else:
        merged = _ENCODER.encode(f"{content}\n\n{block}" if isinstance(content, str) and content else block)
    return [Raw(_ENCODER.encode(fields | {"content": Raw(merged)})), *messages[1:]]
