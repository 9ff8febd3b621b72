"""Requests of a model, and what they cost: their size, how much of each repeats the one before, the price of all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from domain.text.token_estimate import CHARS_PER_TOKEN
from messages.model import ChatMessage, Role

CACHED_PRICE = 0.1
"""Of a token that a provider's prefix cache has, in prices of one that it has not."""


@dataclass(frozen=True, slots=True)
class Request:
    """A model call as sent."""

    messages: tuple[ChatMessage, ...]
    data: bytes
    """JSON of all that is sent in order: instructions, then roles, texts and calls."""
    chars: int
    """Of the same without JSON's own characters."""

    @property
    def tokens(self) -> int:
        """By the 4-characters rule."""
        return self.chars // CHARS_PER_TOKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Sums over the requests of one run."""

    mean_tokens: float
    largest_tokens: int
    cached_share: float
    """Share of all bytes that repeat the beginning of the request before."""
    price: float
    """Input, in prices of an uncached byte."""
    words: int
    """Turns whose prompts and answers stand in the last request, the one that is being answered counted."""


def sums_of(requests: Iterable[Request], exchanges: Iterable[tuple[str, str]]) -> Sums:
    """Sums over the requests of one run.

    Args:
        requests: In their order; one at least.
        exchanges: Prompt and answer of each turn.

    Raises:
        ValueError: there is no request.
    """
    count = chars = largest = size = repeated = 0
    last: Request | None = None
    for request in requests:
        count, chars, size = count + 1, chars + request.chars, size + len(request.data)
        largest = max(largest, request.tokens)
        repeated += shared_prefix(last.data, request.data) if last is not None else 0
        last = request
    if last is None:
        raise ValueError("there is no request: one is required")
    return Sums(
        mean_tokens=chars / CHARS_PER_TOKEN / count,
        largest_tokens=largest,
        cached_share=repeated / size,
        price=size - repeated + CACHED_PRICE * repeated,
        words=words_in(last.messages, exchanges),
    )


def request_of(system_prompt: str, messages: tuple[ChatMessage, ...]) -> Request:
    """Request with every property that distinguishes requests."""
    chars = len(system_prompt)
    parts: list[object] = [system_prompt]
    for message in messages:
        calls = [(call.id, call.name, call.arguments_json) for call in message.tool_calls]
        parts.append((message.role, message.text, calls, message.tool_call_id))
        chars += len(message.text) + len(message.tool_call_id) + sum(len(part) for call in calls for part in call)
    return Request(messages, msgspec.json.encode(parts), chars)


def shared_prefix(one: bytes, other: bytes) -> int:
    """Number of bytes in the common beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def words_in(messages: Iterable[ChatMessage], exchanges: Iterable[tuple[str, str]]) -> int:
    """Of how many turns prompt and answer stand in a request, its own turn counted by its prompt alone.

    Args:
        messages: The request's.
        exchanges: Prompt and answer of each turn, the request's own the last.
    """
    prompts = "\n".join(message.text for message in messages if message.role is Role.USER)
    answers = "\n".join(message.text for message in messages if message.role is Role.ASSISTANT)
    each = list(exchanges)
    count = sum(prompt in prompts and answer in answers for prompt, answer in each[:-1])
    return count + (each[-1][0] in prompts)
