"""Cache marks: places of a request up to which a provider is asked to keep the request's beginning.

Providers of one family keep a beginning only up to a mark in the request (`cache_control`, translated by litellm for
Bedrock's `cachePoint`); other providers keep beginnings unasked. A mark is of use where a later request is the same up
to the mark. Four places are marked: the system prompt with the tools before, the end of the turns before the present
turn, the end of the request before, and the end of this request. In the first request of a turn, the request before
ended with memories now gone, so the end of the turns before the last turn is marked instead. Without
memories, the provider finds the request before all the same: two blocks before the end of the turns.

Source:
    Anthropic's guide on prompt caching: at most 4 marks; a request is compared at each mark and at 20 blocks before;
    a beginning below a model's least length (1,024 to 4,096 tokens) is not kept, and such a mark costs nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from messages.base import Window
from messages.model import ModelRequest, Role

MOST_MARKS = 4
_CACHE_MARK = {"type": "ephemeral"}
_MARKED_PROVIDERS: Mapping[str, re.Pattern[str]] = {
    "anthropic": re.compile(""),
    "azure_ai": re.compile("claude"),
    "bedrock": re.compile("claude|anthropic|nova"),
    "bedrock_converse": re.compile("claude|anthropic|nova"),
    "openrouter": re.compile("^(?:openrouter/)?anthropic/"),
    "vertex_ai": re.compile("claude"),
}
"""Provider, in litellm's naming -> names of the provider's models that want marks; no other route carries marks."""
_ROUTED_BY_KEY = frozenset({"openai"})
"""Providers that send requests with the same key to the machine with the cached beginning."""


def wants_marks(provider: str, model: str) -> bool:
    """True if a provider keeps the beginning of a request to a model only up to a mark."""
    names = _MARKED_PROVIDERS.get(provider)
    return names is not None and names.search(model.lower()) is not None


def cache_key(provider: str, window: Window) -> str:
    """Key that sends the requests of a window to one machine; empty for a provider without such keys.

    The key reveals nothing about the window to the provider.
    """
    if provider not in _ROUTED_BY_KEY:
        return ""
    return hashlib.blake2b(window.address.key.encode(), digest_size=16, person=b"prompt-cache").hexdigest()


def is_repeated(request: ModelRequest) -> bool:
    """True if later requests are likely to begin as this one: a turn's, or rounds of calls outside of turns."""
    return request.asks_cache and bool(request.run_id or request.tools)


def ends_to_mark(request: ModelRequest) -> tuple[int, ...]:
    """Lengths of the kept parts of the conversation, the shortest first."""
    messages, count = request.messages, len(request.messages)
    history, before = count - request.turn_messages, _end_before(request)
    ends = {count, before}
    if request.turn_messages:
        ends = {count, history, before if before > history else count - request.recent_messages}
    marked = sorted({_end_with_text(messages, end) for end in ends if 0 < end <= count} - {0})
    return tuple(marked[-(MOST_MARKS - 1) :])


def mark_messages(messages: Sequence[dict[str, Any]], request: ModelRequest) -> list[dict[str, Any]]:
    """Messages in OpenAI's form with marks, translated by litellm into the provider's own marks.

    Args:
        messages: The system prompt, if there is one, and the request's messages.
        request: The same request.
    """
    marked = list(messages)
    before = len(messages) - len(request.messages)
    if before:
        marked[0] = _mark(marked[0])
    for end in ends_to_mark(request):
        marked[before + end - 1] = _mark(marked[before + end - 1])
    return marked


def _mark(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, list):
        return {**message, "content": [*content[:-1], {**content[-1], "cache_control": _CACHE_MARK}]}
    return {**message, "cache_control": _CACHE_MARK}


def _end_before(request: ModelRequest) -> int:
    """Length of the conversation in the request before, answered by the model's last message; 0 without any."""
    places = range(len(request.messages) - 1, -1, -1)
    return next((place for place in places if request.messages[place].role is Role.ASSISTANT), 0)


def _end_with_text(messages: Sequence[Any], end: int) -> int:
    """Nearest end at or before `end` whose last message has words: no empty block may be marked."""
    while end and not messages[end - 1].text.strip():
        end -= 1
    return end
