"""Chat request on the way through the gateway: read as far as a memory needs, and otherwise unchanged.

Foreign values go on byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import Raw

from domain.facts.block_place import SYSTEM_ROLES, BlockPlace, with_block
from domain.facts.raw_json import fields_of, items_of, list_of, object_of, value_of
from domain.facts.sound_text import sound
from messages.base import make_ready
from messages.facts import FactHit

MOST_ID_CHARS = 500
MOST_TOP_K = 200
OWN_FIELDS = (
    "memory_id",
    "memory_top_k",
    "memory_hits",
    "memory_keep",
    "memory_recency_weight",
    "memory_score_threshold",
)
_TASK, _HISTORY = "### Task:", "<chat_history>"
"""Marks of Open WebUI's own questions for titles, tags and suggestions."""
_MARK = b"\xef\xbb\xbf"
MOST_TEXT_CHARS = 1_000_000
"""Most characters of all messages' texts together; earlier texts are left out."""
MOST_MESSAGES = 10_000
"""Number of messages to read, the newest; earlier messages pass unread, since other requests wait meanwhile."""
_NULL = b"null"


class _Spoken(msgspec.Struct):
    role: object = None
    content: object = None


_SPOKEN = msgspec.json.Decoder(_Spoken)


class RequestError(ValueError):
    """Unreadable request; the text names the value and the rule."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Parts of a request for the memory."""

    body: bytes
    model: str
    stream: bool
    memory_id: str | None
    memory_top_k: int | None
    wants_hits: bool
    keeps: bool
    """False for a request without memory: no message is stored, and no memory is looked up."""
    recency_weight: float | None
    score_threshold: float | None
    question: str
    """Text of the user's last message; empty without any."""
    answer_before: str
    """Text of the last answer before the question; empty without any."""
    ends_with_user: bool
    """True if the question is the last message, system messages and a begun answer apart."""
    texts: tuple[str, ...]
    """Texts of all messages, as far as the length bound allows."""
    roles: tuple[str, ...]
    """Of the newest messages, as many as are read."""
    _fields: dict[str, Raw] = field(repr=False)
    _messages: list[Raw] = field(repr=False)


def read_request(body: bytes) -> ChatRequest:
    """Request in a body.

    Raises:
        RequestError: the body is no request, or a field of the gateway breaks a rule.
    """
    body = body.removeprefix(_MARK)
    try:
        fields = fields_of(body)
    except ValueError as error:
        raise RequestError(f"the body must be a JSON object: {error}") from error
    if "messages" not in fields:
        raise RequestError("messages: it is missing; a list of at least one message is required", "messages")
    try:
        messages = items_of(fields["messages"])
    except ValueError as error:
        raise RequestError("messages: a list of at least one message is required", "messages") from error
    if not messages:
        raise RequestError("messages: it is empty; a list of at least one message is required", "messages")
    spoken = [_read_message(raw) for raw in messages[-MOST_MESSAGES:]]
    dialogue = [each for each in spoken if each[0] not in SYSTEM_ROLES]
    question = next((text for role, text in reversed(dialogue) if role == "user"), "")
    return ChatRequest(
        body=body,
        model=str(_plain(fields, "model", str) or ""),
        stream=bool(_plain(fields, "stream", bool)),
        memory_id=_memory_id(fields),
        memory_top_k=_memory_top_k(fields),
        wants_hits=bool(_plain(fields, "memory_hits", bool)),
        keeps=_plain(fields, "memory_keep", bool) is not False and not _is_task(question),
        recency_weight=_share(fields, "memory_recency_weight"),
        score_threshold=_share(fields, "memory_score_threshold"),
        question=question,
        answer_before=_answer_before(dialogue),
        ends_with_user=[role for role, _ in dialogue[-2:]][-1:] == ["user"]
        or [role for role, _ in dialogue[-2:]] == ["user", "assistant"],
        texts=_newest([text for _, text in spoken if text]),
        roles=tuple(role for role, _ in spoken),
        _fields=fields,
        _messages=messages,
    )


def upstream_body(request: ChatRequest, block: str, place: BlockPlace = BlockPlace.AUTO) -> bytes:
    """Body for the upstream server: without the gateway's fields, and with `block`, unless empty, in place."""
    is_ours = any(name in request._fields for name in OWN_FIELDS)
    if not block and not is_ours:
        return request.body
    fields = {name: value for name, value in request._fields.items() if name not in OWN_FIELDS}
    if block:
        fields["messages"] = Raw(list_of(with_block(request._messages, request.roles, sound(block), place)))
    return object_of(fields)


def with_hits(answer: bytes, hits: Sequence[FactHit]) -> bytes:
    """Answer with the key `memory_hits`; an answer other than a JSON object stays unchanged."""
    try:
        fields = fields_of(answer)
    except ValueError:
        return answer
    listed = [msgspec.structs.asdict(hit) for hit in hits]
    return object_of(fields | {"memory_hits": Raw(msgspec.json.encode(listed))})


def text_of(content: object) -> str:
    """Text of a message's content: the content as text, or the text parts, a line each."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in ("text", None)]
    return "\n".join(part for part in parts if isinstance(part, str))


def _read_message(raw: Raw) -> tuple[str, str]:
    """Role and text of a message; empty for an invalid message."""
    try:
        message = _SPOKEN.decode(raw)
        role, content = message.role, message.content
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        role, content = _read_odd_message(raw)
    return role if isinstance(role, str) else "", sound(text_of(content))


def _read_odd_message(raw: Raw) -> tuple[object, object]:
    try:
        fields = fields_of(raw)
    except ValueError:
        return None, None
    return value_of(fields.get("role", _NULL)), value_of(fields.get("content", _NULL))


def _answer_before(dialogue: Sequence[tuple[str, str]]) -> str:
    """Text of the last assistant message before the user's last message; empty without any."""
    end = max((place for place, (role, _) in enumerate(dialogue) if role == "user"), default=0)
    return next((text for role, text in reversed(dialogue[:end]) if role == "assistant" and text), "")


def _newest(texts: Sequence[str]) -> tuple[str, ...]:
    newest: list[str] = []
    room = MOST_TEXT_CHARS
    for text in reversed(texts):
        room -= len(text)
        if room < 0:
            break
        newest.append(text)
    return tuple(reversed(newest))


def _plain(fields: Mapping[str, Raw], name: str, kind: type) -> object:
    value = value_of(fields.get(name, _NULL))
    return value if isinstance(value, kind) else None


def _memory_id(fields: Mapping[str, Raw]) -> str | None:
    raw = bytes(fields.get("memory_id", _NULL))
    if raw == _NULL:
        return None
    value = value_of(raw)
    if not isinstance(value, str) or not value.strip() or len(value) > MOST_ID_CHARS or value != sound(value):
        beginning = raw[:60].decode("utf-8", "replace")
        raise RequestError(f"memory_id {beginning}: a text of 1 to {MOST_ID_CHARS} characters is required", "memory_id")
    return value


def _memory_top_k(fields: Mapping[str, Raw]) -> int | None:
    raw = bytes(fields.get("memory_top_k", _NULL))
    if raw == _NULL:
        return None
    value = value_of(raw)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_TOP_K:
        beginning = raw[:60].decode("utf-8", "replace")
        raise RequestError(
            f"memory_top_k {beginning}: a whole number from 0 to {MOST_TOP_K} is required", "memory_top_k"
        )
    return value


def _is_task(question: str) -> bool:
    return question.lstrip().startswith(_TASK) and _HISTORY in question


def _share(fields: Mapping[str, Raw], name: str) -> float | None:
    raw = bytes(fields.get(name, _NULL))
    value = value_of(raw)
    if raw != _NULL and (not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1):
        raise RequestError(f"{name} {raw[:60].decode('utf-8', 'replace')}: a number from 0 to 1 is required", name)
    return float(value) if isinstance(value, int | float) else None


make_ready(__name__)
