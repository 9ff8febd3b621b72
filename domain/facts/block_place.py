"""Place of the memories in a request: in front with the system's words, or in the question; and refusals of either."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec
from msgspec import Raw

from domain.facts.raw_json import fields_of, object_of, value_of
from domain.policy.refusal import is_beyond_rate

SYSTEM_ROLES = ("system", "developer")
QUESTION_HEAD = "Current message:"
"""Line between memories and the user's own words in one message."""
_NULL = b"null"
_TOO_MUCH = 429
_OF_OTHERS = frozenset({401, 402, 407, 408, _TOO_MUCH})
"""Refusals independent of a request's words: about keys, money or time."""
_FAILED = 500
"""Many servers answer so, some without a word, where a template knows no system's message."""


class BlockPlace(StrEnum):
    """Message of a request that receives the memories."""

    AUTO = "auto"
    """The system's in the first turn of a conversation, the question later: no earlier message changes."""
    SYSTEM = "system"
    QUESTION = "question"


def with_block(messages: Sequence[Raw], roles: Sequence[str], block: str, place: BlockPlace) -> list[Raw]:
    """Messages with a block in one message; all other messages byte for byte as received.

    Args:
        messages: Messages of the request, at least one.
        roles: Roles of the last messages, as many as were read; `""` for a message without a role.
        block: Not empty.
        place: Place of the block; the system's message takes a block without room in the question.
    """
    question = _question(roles)
    if question is not None and _is_in_question(roles, question, place):
        at = len(messages) - len(roles) + question
        if (changed := _before(messages[at], block)) is not None:
            return [*messages[:at], changed, *messages[at + 1 :]]
    return _in_front(messages, block)


def may_be_of_block(status: int, words: str) -> bool:
    """True if a server may have refused a request because of the memories in the request.

    Args:
        status: Status of the server's answer.
        words: Beginning of the server's answer.
    """
    if status == _TOO_MUCH:
        return is_beyond_rate(words)
    return status == _FAILED or (400 <= status < _FAILED and status not in _OF_OTHERS)


def _question(roles: Sequence[str]) -> int | None:
    return next((at for at in reversed(range(len(roles))) if roles[at] == "user"), None)


def _is_in_question(roles: Sequence[str], question: int, place: BlockPlace) -> bool:
    if place is BlockPlace.AUTO:
        return any(role not in SYSTEM_ROLES for role in roles[:question])
    return place is BlockPlace.QUESTION


def _before(message: Raw, block: str) -> Raw | None:
    """User's message with a block before the words; None for a message without words."""
    fields = fields_of(message)
    content = bytes(fields.get("content", _NULL))
    head = f"{block}\n\n{QUESTION_HEAD}\n"
    if content.startswith(b'"'):
        merged = msgspec.json.encode(head)[:-1] + content[1:]
    elif content.startswith(b"[") and (parts := content[1:].lstrip()) != b"]":
        merged = b"[" + msgspec.json.encode({"type": "text", "text": head}) + b"," + parts
    else:
        return None
    return Raw(object_of(fields | {"content": Raw(merged)}))


def _in_front(messages: Sequence[Raw], block: str) -> list[Raw]:
    """Messages with the block: in the first message if from the system, else in a new message before."""
    try:
        fields = fields_of(messages[0])
    except ValueError:
        fields = {}
    is_system = value_of(fields.get("role", Raw(_NULL))) in SYSTEM_ROLES
    merged = _behind(bytes(fields.get("content", _NULL)), block) if is_system else None
    if merged is None:
        return [Raw(msgspec.json.encode({"role": "system", "content": block})), *messages]
    return [Raw(object_of(fields | {"content": Raw(merged)})), *messages[1:]]


def _behind(content: bytes, block: str) -> bytes | None:
    """Message content with the block appended, the old content byte for byte; None for content without an end."""
    if content in (_NULL, b'""'):
        return msgspec.json.encode(block)
    if content.startswith(b'"'):
        return content[:-1] + msgspec.json.encode(f"\n\n{block}")[1:]
    if content.startswith(b"["):
        parts = content[1:-1].rstrip()
        return b"[" + parts + (b"," if parts else b"") + msgspec.json.encode({"type": "text", "text": block}) + b"]"
    return None
