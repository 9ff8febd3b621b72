"""Prefix cache of a provider: kept beginnings of requests in Anthropic's form, and the charge for a request.

Source:
    Anthropic's guide on prompt caching: blocks count in the order tools, system, messages; at each of at most 4 marks
    the beginning is written, and looked for there and at the 20 blocks before; a hit is charged at 0.1 of the price, a
    write at 1.25; a beginning is kept for 5 minutes from its last use, and only from a least length on.
    A cache belongs to one model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_MARKS = 4
LOOKBACK = 20
KEPT_S = 300.0
READ_SHARE = 0.1
STORED_SHARE = 1.25
_CHARS_PER_TOKEN = 4
_MARK = "cache_control"


@dataclass(frozen=True, slots=True)
class Charge:
    """Tokens of a request, by price."""

    read: int
    """From the cache."""
    stored: int
    """Written to the cache."""
    fresh: int

    @property
    def total(self) -> int:
        """All tokens of the request."""
        return self.read + self.stored + self.fresh

    @property
    def price(self) -> float:
        """Price, in tokens at the usual price."""
        return READ_SHARE * self.read + STORED_SHARE * self.stored + self.fresh


@dataclass(slots=True)
class PrefixCache:
    """State of the cache: the time until which each beginning is kept."""

    least_tokens: int = 1024
    _kept_until: dict[bytes, float] = field(default_factory=dict)

    def charge(self, body: Mapping[str, Any], now_s: float) -> Charge:
        """Charge for a request; the request is kept from now on, as far as its marks ask.

        Args:
            body: The request, in the form of Anthropic's Messages.
            now_s: Time, in seconds that never run backwards.

        Raises:
            ValueError: the request is refused for its marks; the text is the provider's.
        """
        blocks = list(_blocks(body))
        marks = [place for place, block in enumerate(blocks) if _MARK in block]
        if len(marks) > MOST_MARKS:
            raise ValueError(f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
        if any(blocks[place].get("type") == "text" and not blocks[place]["text"] for place in marks):
            raise ValueError("cache_control cannot be set for empty text blocks")
        digests, lengths = _prefixes(str(body.get("model")), blocks)
        total = lengths[-1] if lengths else 0
        looked = {place for mark in marks for place in range(max(0, mark - LOOKBACK), mark + 1)}
        hits = [place for place in looked if self._kept_until.get(digests[place], -1.0) >= now_s]
        read = max((lengths[place] for place in hits), default=0)
        written = [place for place in marks if lengths[place] >= self.least_tokens]
        for place in [*written, *hits]:
            self._kept_until[digests[place]] = now_s + KEPT_S
        stored = max(0, max((lengths[place] for place in written), default=0) - read)
        return Charge(read, stored, total - read - stored)


def _blocks(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from body.get("tools") or ()
    system = body.get("system") or ()
    yield from [{"type": "text", "text": system}] if isinstance(system, str) else system
    for message in body.get("messages") or ():
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        yield from ({"role": message["role"], **part} for part in parts)


def _prefixes(model: str, blocks: list[dict[str, Any]]) -> tuple[list[bytes], list[int]]:
    """Digest and tokens of everything up to the end of each block."""
    running, chars = hashlib.blake2b(model.encode(), digest_size=16), 0
    digests, lengths = [], []
    for block in blocks:
        text = json.dumps({name: part for name, part in block.items() if name != _MARK}, sort_keys=True)
        running.update(text.encode())
        chars += len(text)
        digests.append(running.digest())
        lengths.append(chars // _CHARS_PER_TOKEN)
    return digests, lengths
