"""A call of the provider, on the event loop, and the messages about the end to the actor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import msgspec
import numpy as np

from actors.embedder.backend import Backend, CallError, Counted
from actors.embedder.circuit_breaker import Mark
from actors.embedder.vectors import NO_VECTOR, pack_vector
from actors.embedder.waiting import Piece
from domain.policy.retrying import Fault, FaultKind
from domain.policy.spending import Attempt
from messages.base import Message, make_ready
from messages.embedder import TextRole

UNREADABLE = Fault(FaultKind.UNREADABLE)


class CallDone(Message, frozen=True, kw_only=True, gc=False):
    """End of a call with values."""

    call_id: str
    vectors: tuple[bytes, ...]
    """A vector for each text of the call; empty for a text without a usable vector."""
    value_count: int
    """Number of values received, usable or not."""
    has_vectors: bool = False
    """True if vectors came, but for too few or too many texts."""
    tokens: int | None = None
    """Tokens counted by the provider; None without a count."""
    fault: Fault = UNREADABLE
    """Fault of the call if no vector is usable."""


class CallFailed(Message, frozen=True, kw_only=True, gc=False):
    """End of a call without values."""

    call_id: str
    fault: Fault


@dataclass(frozen=True, slots=True)
class InFlight:
    """Call under way."""

    pieces: tuple[Piece, ...]
    """Empty for a probe."""
    role: TextRole
    mark: Mark
    attempt: Attempt
    running: Future[None]

    @property
    def is_awaited(self) -> bool:
        """True while a request waits for the call."""
        return not all(piece.job.is_over for piece in self.pieces)


async def call(
    backend: Backend,
    dimensions: int,
    call_id: str,
    texts: tuple[str, ...],
    role: TextRole,
    tell: Callable[[CallDone | CallFailed], None],
) -> None:
    """Make one call and send its result; a cancelled call sends nothing."""
    try:
        await backend.warm_up()
        async with asyncio.timeout(backend.limits.timeout_s):
            values = await backend.embed(texts, role)
    except CallError as error:
        tell(CallFailed(call_id=call_id, fault=error.fault))
    except TimeoutError:
        tell(CallFailed(call_id=call_id, fault=Fault(FaultKind.SLOW)))
    except Exception as error:
        tell(CallFailed(call_id=call_id, fault=Fault(FaultKind.UNKNOWN, type_name=type(error).__name__)))
        raise
    else:
        vectors = tuple(pack_vector(value, dimensions) for value in values)
        count, tokens = len(vectors), values.tokens if isinstance(values, Counted) else None
        # Of too few or too many it is not known which text they belong to.
        fits = count == len(texts)
        has_vectors = not fits and any(vectors)
        vectors = vectors if fits else (NO_VECTOR,) * len(texts)
        done = CallDone(call_id=call_id, vectors=vectors, value_count=count, has_vectors=has_vectors, tokens=tokens)
        tell(msgspec.structs.replace(done, fault=_fault_of(values, dimensions)))


def _fault_of(values: Sequence[object], dimensions: int) -> Fault:
    """Fault of a call without a usable vector; names the sizes if all vectors share a size other than the requested."""
    sizes = {len(value) for value in values if isinstance(value, list | tuple | np.ndarray)}
    if not dimensions or len(sizes) != 1 or sizes <= {0, dimensions}:
        return UNREADABLE
    reason = f"the embedding provider gives vectors of {min(sizes)} dimensions, and embedder.dimensions is {dimensions}"
    return Fault(FaultKind.UNREADABLE, text=reason)


make_ready(__name__)
