"""One call of the provider, on the event loop, and the messages by which the actor hears of its begin and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from actors.embedder.backend import Backend, CallError, Counted
from actors.embedder.vectors import NO_VECTOR, packed
from domain.policy.retrying import Fault, FaultKind
from messages.base import Message, make_ready
from messages.embedder import TextRole


class CallOut(Message, frozen=True, kw_only=True, gc=False):
    """A call goes out to a provider: what it needs is loaded."""

    call_id: str


class CallDone(Message, frozen=True, kw_only=True, gc=False):
    """A call gave something."""

    call_id: str
    vectors: tuple[bytes, ...]
    """One for each text that was asked; empty where there is no usable one."""
    tokens: int | None = None
    """That the provider says it took; None where it does not say."""


class CallFailed(Message, frozen=True, kw_only=True, gc=False):
    """A call gave nothing."""

    call_id: str
    fault: Fault


async def call(
    backend: Backend,
    dimensions: int,
    call_id: str,
    texts: tuple[str, ...],
    role: TextRole,
    tell: Callable[[CallOut | CallDone | CallFailed], None],
) -> None:
    """Make one call, and tell when it goes out and how it ended; being cancelled it tells no end."""
    try:
        await backend.warm_up()
        if backend.limits.timeout_s is not None:
            tell(CallOut(call_id=call_id))
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
        # Of too few or too many nobody knows which text they belong to.
        fits = len(values) == len(texts)
        vectors = tuple(packed(values, dimensions) for values in values) if fits else (NO_VECTOR,) * len(texts)
        tokens = values.tokens if isinstance(values, Counted) else None
        tell(CallDone(call_id=call_id, vectors=vectors, tokens=tokens))


make_ready(__name__)
