"""Spending of one client's chat completion: what the server says that it took, or else what the texts make likely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from domain.memory.injection import CHARS_PER_TOKEN
from messages.model import CallBegun, CallKind, CallOutcome, CallSpent

PURPOSE = "gateway"
_MOST_TOKENS = 10**12
_LONGEST_MODEL = 200


@dataclass(slots=True, kw_only=True)
class Spending:
    """A request that is passed on, until its answer is over."""

    conversation: str
    model: str
    call_id: str
    sent_bytes: int
    """Of the request."""
    began_s: float
    """Of the monotonic clock."""
    has_begun: bool = False
    """Whether the server took the request."""
    is_whole: bool = False
    """Whether its answer came to its end."""
    is_left: bool = False
    """Whether the client did not wait for it."""
    chars: int = 0
    """Of the answer's text."""
    usage: object = None
    """As the server said it."""

    def begun(self, at: datetime, _now_s: float) -> CallBegun:
        """What is told of it when it goes out.

        Args:
            at: Aware UTC.
        """
        return CallBegun(
            at=at,
            kind=CallKind.MODEL,
            owner=f"{PURPOSE}/{self.conversation}",
            purpose=PURPOSE,
            call_id=self.call_id,
            attempt=1,
            model=self.model[:_LONGEST_MODEL],
            prompt_tokens=self._sent_tokens,
        )

    def entry(self, at: datetime, now_s: float) -> CallSpent:
        """What is told of it; a server that refused took nothing.

        Args:
            at: Aware UTC.
            now_s: Of the monotonic clock.
        """
        said = self.usage if isinstance(self.usage, Mapping) else {}
        prompt, completion = _count(said, "prompt_tokens"), _count(said, "completion_tokens")
        is_estimated = self.has_begun and not (prompt or completion)
        if is_estimated:
            prompt, completion = self._sent_tokens, -(-self.chars // CHARS_PER_TOKEN)
        details = said.get("prompt_tokens_details")
        return CallSpent(
            at=at,
            kind=CallKind.MODEL,
            owner=f"{PURPOSE}/{self.conversation}",
            purpose=PURPOSE,
            call_id=self.call_id,
            attempt=1,
            model=self.model[:_LONGEST_MODEL],
            prompt_tokens=prompt,
            cached_tokens=_count(details, "cached_tokens") if isinstance(details, Mapping) else 0,
            completion_tokens=completion,
            outcome=self._outcome(),
            is_estimated=is_estimated,
            took_s=round(now_s - self.began_s, 3),
        )

    @property
    def _sent_tokens(self) -> int:
        return -(-self.sent_bytes // CHARS_PER_TOKEN)

    def _outcome(self) -> CallOutcome:
        if self.is_whole:
            return CallOutcome.ANSWERED
        return CallOutcome.CANCELLED if self.is_left else CallOutcome.FAILED


def _count(said: Mapping[object, object], name: str) -> int:
    value = said.get(name)
    return int(value) if isinstance(value, int | float) and 0 <= value < _MOST_TOKENS else 0
