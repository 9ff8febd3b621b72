"""Requests of a model and their cost: size, share repeated from the request before, and total price."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from domain.text.token_estimate import CHARS_PER_TOKEN
from messages.model import ChatMessage, Role

CACHED_PRICE = 0.1
"""Price of a token in the provider's prefix cache, relative to an uncached token."""


@dataclass(frozen=True, slots=True)
class Request:
    """A model call as sent."""

    messages: tuple[ChatMessage, ...]
    data: bytes
    """JSON of everything sent, in order: instructions, then roles, texts and calls."""
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
    """Share of all bytes repeating the beginning of the request before."""
    price: float
    """Input, in prices of an uncached byte."""
    words: int
    """Turns whose prompts and answers stand in the last request, including the turn being answered."""


def sums_of(requests: Iterable[Request], exchanges: Iterable[tuple[str, str]]) -> Sums:
    """Sums over the requests of one run.

    Args:
        requests: Requests in order; at least one.
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
    """Number of turns with prompt and answer in a request; the request's own turn counts by its prompt alone.

    Args:
        messages: Messages of the request.
        exchanges: Prompt and answer of each turn, the request's own the last.
    """
    prompts = "\n".join(message.text for message in messages if message.role is Role.USER)
    answers = "\n".join(message.text for message in messages if message.role is Role.ASSISTANT)
    each = list(exchanges)
    count = sum(prompt in prompts and answer in answers for prompt, answer in each[:-1])
    return count + (each[-1][0] in prompts)
