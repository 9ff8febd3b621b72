"""Spending of one attempt at a model call: the provider's report, or else an estimate from the texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from actors.model.backend import Completion, Heard
from domain.offline.model import OFFLINE_MODEL
from messages.model import CallBegun, CallKind, CallOutcome, CallSpent, ModelRequest, Usage

CHARS_PER_TOKEN = 4
"""Of the texts that people write; only where a provider does not count itself."""


@dataclass(slots=True)
class Spending:
    """An attempt that is under way."""

    model: str
    request: ModelRequest
    attempt: int
    """1-based."""
    is_cancelled: bool = False
    took_s: float = 0.0
    """Seconds, once it is over."""

    def begun(self, at: datetime) -> CallBegun:
        """Event for an attempt that goes out.

        Args:
            at: Aware UTC.
        """
        return CallBegun(
            at=at,
            kind=CallKind.MODEL,
            owner=self.request.window.address.key,
            run_id=self.request.run_id,
            purpose=self.request.purpose,
            call_id=self.request.request_id,
            attempt=self.attempt,
            model=self.model,
            prompt_tokens=_tokens(self._sent_chars()),
        )

    def entry(self, heard: Heard, completion: Completion | None, at: datetime) -> CallSpent:
        """Event with the attempt's usage.

        An attempt that did not reach the provider, or was refused, takes no tokens. Missing figures are estimated and
        marked: after an answer that broke off or was abandoned, and after an answer without figures.

        Args:
            heard: Progress of the attempt.
            completion: The answer, if there is one.
            at: Aware UTC.
        """
        usage = _said(completion.usage if completion is not None else None) or _said(heard.usage)
        may_cost = self.model != OFFLINE_MODEL and (heard.has_begun or self.is_cancelled or completion is not None)
        is_estimated = usage is None and may_cost
        used = usage or (self._guess(heard) if is_estimated else Usage())
        return CallSpent(
            at=at,
            kind=CallKind.MODEL,
            owner=self.request.window.address.key,
            run_id=self.request.run_id,
            purpose=self.request.purpose,
            call_id=self.request.request_id,
            attempt=self.attempt,
            model=self.model,
            prompt_tokens=used.prompt_tokens,
            cached_tokens=used.cached_tokens,
            completion_tokens=used.completion_tokens,
            cost_usd=used.cost_usd,
            outcome=self._outcome(completion),
            is_estimated=is_estimated,
            took_s=round(self.took_s, 3),
        )

    def _outcome(self, completion: Completion | None) -> CallOutcome:
        if completion is not None:
            return CallOutcome.ANSWERED
        return CallOutcome.CANCELLED if self.is_cancelled else CallOutcome.FAILED

    def _guess(self, heard: Heard) -> Usage:
        return Usage(prompt_tokens=_tokens(self._sent_chars()), completion_tokens=_tokens(heard.chars))

    def _sent_chars(self) -> int:
        request = self.request
        chars = len(request.system_prompt)
        for message in request.messages:
            chars += len(message.text) + sum(len(call.arguments_json) for call in message.tool_calls)
        return chars + sum(len(tool.description) + len(tool.parameters_json) for tool in request.tools)


@dataclass(frozen=True, slots=True)
class Books:
    """Receiver of events about attempts."""

    begin: Callable[[Spending], None]
    """Is given an attempt that goes out."""
    enter: Callable[[Spending, Heard, Completion | None], None]
    """Is given what an attempt took, when it is over."""


def _said(usage: Usage | None) -> Usage | None:
    """Usage with at least one counted token."""
    return usage if usage is not None and (usage.prompt_tokens or usage.completion_tokens) else None


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)
