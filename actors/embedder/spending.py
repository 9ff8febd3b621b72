"""Spending of one call for embeddings or a reranking: what the provider counts, or else what the texts make likely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from msgspec import structs

from actors.embedder.prices import price_of
from actors.kernel import Host
from domain.memory.injection import tokens
from domain.policy.retrying import FaultKind
from messages.base import Message
from messages.embedder import RerankTexts, TextRole
from messages.model import BEGUN, SPENT, CallBegun, CallKind, CallOutcome, CallSpent

_MAY_COST = frozenset({FaultKind.SLOW, FaultKind.CUT_OFF, FaultKind.UNREADABLE})
"""Faults of calls that the provider may have carried out."""


def priced(spent: CallSpent) -> CallSpent:
    """A provider's call with what it has cost, by litellm's price list; what was refused has cost nothing."""
    if not spent.prompt_tokens and not spent.is_estimated and spent.outcome is not CallOutcome.ANSWERED:
        return spent
    return structs.replace(spent, cost_usd=_cost_usd(spent.model, spent.prompt_tokens))


def _cost_usd(model: str, tokens_read: int) -> float:
    price = price_of(model)
    return tokens_read * price.per_token + price.per_call


@dataclass(frozen=True, slots=True)
class Spending:
    """A call that is under way."""

    owner: str
    """Address of the embedder: a call has texts of many windows in it."""
    model: str
    call_id: str
    purpose: str
    guessed_tokens: int
    began_s: float
    """Of the monotonic clock."""
    kind: CallKind = CallKind.EMBEDDING

    @classmethod
    def of(
        cls, owner: str, model: str, call_id: str, role: TextRole, texts: tuple[str, ...], began_s: float
    ) -> Spending:
        """Spending of the call that asks for the vectors of `texts`."""
        return cls(owner, model, call_id, role.value, sum(map(tokens, texts)), began_s)

    @classmethod
    def of_reranking(cls, owner: str, model: str, request: RerankTexts, began_s: float) -> Spending:
        """Spending of the call that has the texts of `request` judged, each of them with the query."""
        guessed = sum(tokens(request.query) + tokens(text) for text in request.texts)
        return cls(owner, model, request.request_id, "", guessed, began_s, CallKind.RERANKING)

    def begun(self, at: datetime) -> CallBegun:
        """Message about the call when it goes out, with its estimated cost.

        Args:
            at: Aware UTC.
        """
        return CallBegun(
            at=at,
            kind=self.kind,
            owner=self.owner,
            purpose=self.purpose,
            call_id=self.call_id,
            attempt=1,
            model=self.model,
            prompt_tokens=self.guessed_tokens,
            cost_usd=_cost_usd(self.model, self.guessed_tokens),
        )

    def answered(self, counted: int | None, at: datetime, now_s: float) -> CallSpent:
        """Message about an answered call.

        Args:
            counted: Tokens that the provider counted; None without a count.
            at: Aware UTC.
            now_s: Time of the monotonic clock.
        """
        return self._entry(CallOutcome.ANSWERED, counted, at, now_s)

    def failed(self, kind: FaultKind, at: datetime, now_s: float) -> CallSpent:
        """Message about a failed call; a refused call took no tokens."""
        return self._entry(CallOutcome.FAILED, None if kind in _MAY_COST else 0, at, now_s)

    def cancelled(self, at: datetime, now_s: float) -> CallSpent:
        """Message about a call without waiting requests."""
        return self._entry(CallOutcome.CANCELLED, None, at, now_s)

    def _entry(self, outcome: CallOutcome, counted: int | None, at: datetime, now_s: float) -> CallSpent:
        return CallSpent(
            at=at,
            kind=self.kind,
            owner=self.owner,
            purpose=self.purpose,
            call_id=self.call_id,
            attempt=1,
            model=self.model,
            prompt_tokens=self.guessed_tokens if counted is None else counted,
            outcome=outcome,
            is_estimated=counted is None,
            took_s=round(now_s - self.began_s, 3),
        )


class Bookkeeping:
    """Reporter of an actor's paid calls: sends their start, and their cost."""

    def __init__(self, host: Host, is_paid: Callable[[], bool]) -> None:
        """Begin without calls.

        Args:
            host: Sends the messages.
            is_paid: True if a provider is called; computation on this machine costs nothing.
        """
        self._host = host
        self._is_paid = is_paid

    def begin(self, spending: Spending) -> None:
        """Tell of a call that goes out."""
        if self._is_paid() and self._host.followers(BEGUN):
            self._tell(BEGUN, spending.begun(self._host.now()))

    def enter(self, spent: CallSpent) -> None:
        """Tell what a call took."""
        if self._is_paid():
            self._tell(SPENT, priced(spent))

    def _tell(self, topic: str, message: Message) -> None:
        for follower in self._host.followers(topic):
            self._host.tell(follower, message)
