"""Backend protocol of embedding models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.policy.retrying import Fault
from messages.embedder import TextRole

_MOST_TOKENS = 10**12


class CallError(Exception):
    """A call without vectors."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind.value)
        self.fault = fault


class Counted(list[object]):
    """Values of a provider for the texts of a call, with the tokens counted by the provider; None without a count."""

    def __init__(self, values: Iterable[object], tokens: int | None) -> None:
        """Hold the values of one call."""
        super().__init__(values)
        self.tokens = tokens


def count_in(usage: object) -> int | None:
    """Tokens counted by a provider in an embedding call's usage; None without a count."""
    fields = usage if isinstance(usage, Mapping) else {}
    count = fields.get("prompt_tokens") or fields.get("total_tokens")
    return int(count) if isinstance(count, int | float) and 0 < count < _MOST_TOKENS else None


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a backend on calls."""

    texts: int
    """Most texts in one call."""
    chars: int
    """Most characters in one call, in all; a single text may have more."""
    queries: int
    """Most in flight for queries."""
    documents: int
    """Most calls in flight for documents, besides calls for queries."""
    timeout_s: float | None
    """Longest wait for one call; None for a free backend without a network."""
    tells_roles: bool = False
    """True if a text has one vector as a query and another as a document."""


class Backend(Protocol):
    """Provider of vectors in single calls; the caller decides about retries. Lives on one event loop."""

    @property
    def limits(self) -> Limits:
        """The same at all times."""
        ...

    async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:
        """Values of the provider for the texts, unchecked: possibly too few, and no vectors.

        Raises:
            CallError: the provider gives no values.
        """
        ...

    async def warm_up(self) -> None:
        """Load libraries and models for calls; repeated calls have no effect.

        Raises:
            CallError: loading failed.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and threads."""
        ...
