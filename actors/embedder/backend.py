"""Backend protocol of embedding models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.policy.retrying import Fault
from messages.embedder import TextRole


class CallError(Exception):
    """A call that gave no vectors."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind.value)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a backend: how it wants to be called."""

    texts: int
    """Most in one call."""
    chars: int
    """Most in one call, in all; a single text may have more."""
    calls: int
    """Most in flight."""
    documents: int
    """Most of those for documents: fewer, where more than one is allowed, so that one is free for queries."""
    timeout_s: float | None
    """Longest wait for one call; None for what needs no network."""


class Backend(Protocol):
    """Provider of vectors in single calls; whoever asks it decides about retries. Lives on one event loop."""

    @property
    def limits(self) -> Limits:
        """The same at all times."""
        ...

    async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:
        """What the provider gives for each text, unchecked: it may be too few, and no vectors.

        Raises:
            CallError: it gives nothing.
        """
        ...

    async def warm_up(self) -> None:
        """Load what calls need; again, or while it is loading, nothing more.

        Raises:
            CallError: it cannot be loaded.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and threads."""
        ...


def chain(error: BaseException) -> list[BaseException]:
    """`error` and what caused it, nearest first; litellm's exceptions keep their cause in a field of their own."""
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links and len(links) < 10:
        links.append(link)
        link = getattr(link, "original_exception", None) or link.__cause__ or link.__context__
    return links
