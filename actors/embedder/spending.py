"""Spending of one call for embeddings or a reranking: what the provider counts, or else what the texts make likely."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from msgspec import structs

from actors.embedder.prices import price_of
from domain.memory.injection import tokens
from domain.policy.retrying import FaultKind
from messages.embedder import RerankTexts, TextRole
from messages.model import CallKind, CallOutcome, CallSpent

_MAY_COST = frozenset({FaultKind.SLOW, FaultKind.CUT_OFF, FaultKind.UNREADABLE})
"""Faults of calls that the provider may have carried out."""


def priced(spent: CallSpent) -> CallSpent:
    """A provider's call with what it has cost, by litellm's price list; what was refused has cost nothing."""
    if not spent.prompt_tokens and not spent.is_estimated and spent.outcome is not CallOutcome.ANSWERED:
        return spent
    price = price_of(spent.model)
    return structs.replace(spent, cost_usd=spent.prompt_tokens * price.per_token + price.per_call)


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

    def answered(self, counted: int | None, at: datetime, now_s: float) -> CallSpent:
        """What is told of it.

        Args:
            counted: Tokens that the provider says it took; None where it does not say.
            at: Aware UTC.
            now_s: Of the monotonic clock.
        """
        return self._entry(CallOutcome.ANSWERED, counted, at, now_s)

    def failed(self, kind: FaultKind, at: datetime, now_s: float) -> CallSpent:
        """What is told of a call that gave nothing; what was refused took nothing."""
        return self._entry(CallOutcome.FAILED, None if kind in _MAY_COST else 0, at, now_s)

    def cancelled(self, at: datetime, now_s: float) -> CallSpent:
        """What is told of a call that nobody waits for any more."""
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
