"""Entries of calls for embeddings and rerankings: the provider's count, or else an estimate, with the list price."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from actors.embedder.prices import price_of
from actors.kernel import Host
from actors.part.spending import publish_spent
from domain.memory.injection import tokens
from domain.policy.retrying import FaultKind
from domain.policy.spending import Attempt
from messages.model import CallKind, CallOutcome, CallSpent, Usage

_MAY_COST = frozenset({FaultKind.SLOW, FaultKind.CUT_OFF, FaultKind.UNREADABLE, FaultKind.BEYOND_BOUND})
"""Faults of calls that the provider may have carried out."""


def with_price(spent: CallSpent) -> CallSpent:
    """A provider's call with its cost by litellm's price list; a refused call costs nothing."""
    if not spent.prompt_tokens and not spent.is_estimated and spent.outcome is not CallOutcome.ANSWERED:
        return spent
    price = price_of(spent.model)
    return structs.replace(spent, cost_usd=spent.prompt_tokens * price.per_token + price.per_call)


class Bookkeeping:
    """Reporter of an actor's paid calls."""

    def __init__(self, host: Host, is_paid: Callable[[], bool]) -> None:
        """Begin without calls.

        Args:
            host: Sends the messages.
            is_paid: True if a provider is called; computation on this machine costs nothing.
        """
        self._host = host
        self._is_paid = is_paid

    def attempt(self, kind: CallKind, model: str, call_id: str, texts: Sequence[str], purpose: str = "") -> Attempt:
        """A call with these texts, from now on; the actor is the owner, since the call has texts of many windows."""
        return Attempt(
            kind=kind,
            owner=str(self._host.address),
            purpose=purpose,
            call_id=call_id,
            model=model,
            sent_tokens=sum(map(tokens, texts)),
            began_s=self._host.monotonic(),
        )

    def enter(self, attempt: Attempt, outcome: CallOutcome, counted: int | None = None) -> None:
        """Publish the usage of a call.

        Args:
            attempt: The call, which is over.
            outcome: Its end.
            counted: Tokens counted by the provider; None without a count.
        """
        if self._is_paid():
            usage = None if counted is None else Usage(prompt_tokens=counted)
            spent = with_price(attempt.entry(outcome, usage, self._host.now(), self._host.monotonic()))
            publish_spent(self._host, spent)

    def fail(self, attempt: Attempt, kind: FaultKind) -> None:
        """Publish a failed call; a refused call took no tokens."""
        self.enter(attempt, CallOutcome.FAILED, None if kind in _MAY_COST else 0)
