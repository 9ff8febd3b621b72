"""Reach: tests for the words that decide a constraint in a request, and for a beginning shared with the last."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from messages.model import ChatMessage, ModelRequest

_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_BLOCK = re.compile(r"INJECTED_CONTEXT_(\w+)\n([^\n]*)\n*")
_RECALLED = re.compile(r"\A<runtime_context>\n(.*?)</runtime_context>", re.DOTALL)


def holds(text: str, key: str) -> bool:
    """True if `key` stands in `text`, regardless of white space, case and JSON's escapes."""
    return _plain(key) in _plain(text)


def is_reached(request: ModelRequest, key: str) -> bool:
    """True if the model sees the deciding part: in the history, in a block, or in the instructions."""
    return holds("\n".join((request.system_prompt, *(message.text for message in request.messages))), key)


def breaks(requests: Iterable[ModelRequest]) -> int:
    """Number of requests in a log different from their predecessor before the newest turn at the time."""
    return sum(not _goes_on(before, after) for before, after in pairwise(requests))


def beginnings(requests: Iterable[ModelRequest]) -> int:
    """Number of requests in a log beginning with another turn than their predecessor: the visible cuts."""
    firsts = [_without_blocks(_RECALLED.sub("", request.messages[0].text)) for request in requests]
    return sum(before != after for before, after in pairwise(firsts))


def _goes_on(before: ModelRequest, after: ModelRequest) -> bool:
    earlier = before.messages[:-1]
    return before.system_prompt == after.system_prompt and _cacheable(after.messages[: len(earlier)]) == _cacheable(
        earlier
    )


def _cacheable(messages: Iterable[ChatMessage]) -> list[tuple[str, str]]:
    return [(message.role.value, message.text) for message in messages]


def _without_blocks(text: str) -> str:
    """Prompt without the blocks at the front."""
    return _BLOCK.sub("", text)


def _plain(text: str) -> str:
    unescaped = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return " ".join(unescaped.casefold().split())
