"""Replay of embeddings: plays an exchange under the embedder's backends."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from actors.embedder.backend import Backend, CallError
from actors.embedder.google import GoogleBackend
from actors.embedder.openai_provider import OpenAIBackend
from actors.kernel import SystemClock
from domain.policy.retrying import Fault
from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.forms import embedding
from lab.bench.recorded.forms.embedding import Texts, Vector
from lab.bench.recorded.outcome import kind_of_status
from lab.bench.recorded.player import Player
from lab.bench.recorded.providers import Endpoint
from messages.embedder import TextRole

_KEY = "recorded"
_TIMEOUT_S = 10.0
_USUAL_DIMENSIONS = 768
"""Size requested if the recorded request has no size: the agent always asks Google for a size."""


async def replay_vectors(player: Player, exchange: Exchange, endpoint: Endpoint) -> list[str]:
    """Differences of the agent's request and vectors from the recorded ones.

    Raises:
        LeftOutError: the agent makes no such request.
    """
    wanted = embedding.read_request(exchange)
    vectors = embedding.read_answer(exchange) if exchange.status == 200 else None
    player.play(exchange)
    backend = _backend(player, endpoint, wanted)
    try:
        result: Sequence[object] | Fault = await backend.embed(
            list(wanted.texts), TextRole.QUERY if wanted.is_query else TextRole.DOCUMENT
        )
    except CallError as error:
        result = error.fault
    finally:
        await backend.close()
    if not player.requests:
        return [f"no request: {result!r:.300}"]
    request = player.requests[0]
    sent = embedding.read_request(
        replace(exchange, url=f"http://host{request.path}", request=json.loads(request.body)),
    )
    return [*_request_differences(wanted, sent), *_vector_differences(exchange, vectors, result)]


def _backend(player: Player, endpoint: Endpoint, wanted: Texts) -> Backend:
    now = SystemClock().now
    if endpoint.prefix == "gemini":
        return GoogleBackend(
            model=wanted.model,
            dimensions=wanted.dimensions or _USUAL_DIMENSIONS,
            api_key=_KEY,
            api_base=player.address,
            timeout_s=_TIMEOUT_S,
            now=now,
        )
    base = player.address + endpoint.base
    return OpenAIBackend(model=wanted.model, api_key=_KEY, api_base=base, timeout_s=_TIMEOUT_S, now=now)


def _request_differences(wanted: Texts, sent: Texts) -> Iterator[str]:
    if sent.model != wanted.model:
        yield f"model: {sent.model!r} for {wanted.model!r}"
    if sent.texts != wanted.texts:
        yield f"texts: {sent.texts!r:.300} for {wanted.texts!r:.300}"


def _vector_differences(
    exchange: Exchange, vectors: list[Vector] | None, result: Sequence[object] | Fault
) -> Iterator[str]:
    if isinstance(result, Fault):
        wanted = kind_of_status(exchange.status, exchange.body)
        if vectors is not None or result.kind.value != wanted:
            yield f"fault: {result.kind.value} ({result.status}) for {wanted or 'vectors'} ({exchange.status})"
    elif vectors is None:
        yield f"vectors for status {exchange.status}"
    elif len(result) != len(vectors):
        yield f"{len(result)} vectors for {len(vectors)}"
    else:
        for place, (ours, theirs) in enumerate(zip(result, vectors, strict=True)):
            mine = np.asarray(ours, np.float32)
            if mine.shape != theirs.shape or not np.allclose(mine, theirs, rtol=1e-5, atol=1e-7):
                yield f"vector {place}: {mine[:3]} for {theirs[:3]}"
