"""Embeddings of a server with OpenAI's interface, by address; without litellm.

Measured with 20 texts of 1,536 dimensions, CPU of one call: 1.4 ms for vectors in base64, as requested by OpenAI's own
client too, and 4.3 ms for vectors as numbers of 17 digits.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from datetime import datetime

import aiohttp
import msgspec
import numpy as np

from actors.embedder.backend import CallError, Counted, Limits, count_in
from actors.http_client.bounded_answers import BeyondBoundError, chain, refusal_in
from actors.http_client.connections import Connections, headers_of, read_whole
from domain.policy.retrying import Fault, FaultKind, classify
from messages.base import make_ready
from messages.embedder import TextRole

MOST_ANSWER_BYTES = 64 * 1024 * 1024
_BASE64 = {"encoding_format": "base64"}


class _Item(msgspec.Struct):
    embedding: list[float] | str | None = None
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Item]
    usage: object = None


_DECODER = msgspec.json.Decoder(_Answer)


class OpenAIBackend:
    """Backend on `POST {api_base}/embeddings`; treats documents and queries alike."""

    def __init__(
        self, *, model: str, api_key: str, api_base: str, timeout_s: float, now: Callable[[], datetime]
    ) -> None:
        """Begin without connections.

        Args:
            model: As the server names it.
            api_key: Empty for none.
            api_base: For example `http://127.0.0.1:11434/v1`; empty fails every call.
            timeout_s: Longest wait for one call.
            now: The wall clock, aware.
        """
        self._model = model
        self._api_key = api_key
        self._api_base = api_base.rstrip("/")
        self._now = now
        self._connections = Connections()
        self._form = _BASE64
        self._is_form_known = False
        """True once the server has accepted `_form`."""
        # 32 are the most that some servers take in one call unless they are told otherwise.
        self.limits = Limits(texts=32, chars=100_000, queries=8, documents=8, timeout_s=timeout_s)

    async def warm_up(self) -> None:
        """Do nothing, since no loading is needed."""
        if not self._api_base:
            raise CallError(Fault(FaultKind.NOT_FOUND))

    async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:  # noqa: ARG002
        """Vectors of the server, in the order of their `index` if present."""
        form = self._form
        try:
            values = await self._post(texts, form)
        except CallError as error:
            if self._is_form_known or error.fault.kind is not FaultKind.REJECTED:
                raise
            form = {}  # some servers know numbers only
            values = await self._post(texts, form)
        self._form, self._is_form_known = form, True
        return values

    async def close(self) -> None:
        """Close the connections, also connections of calls under way."""
        await self._connections.close()

    async def _post(self, texts: Sequence[str], form: dict[str, str]) -> Sequence[object]:
        headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        try:
            body = msgspec.json.encode({"model": self._model, "input": list(texts)} | form)
            async with self._connections.post(f"{self._api_base}/embeddings", body, headers) as response:
                data = await read_whole(response, MOST_ANSWER_BYTES)
        except BeyondBoundError as error:
            reason = refusal_in(error, "the embedding provider")
            raise CallError(Fault(FaultKind.BEYOND_BOUND, text=reason)) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            names = [kind.__name__ for link in chain(error) for kind in type(link).__mro__]
            raise CallError(classify(names, None, str(error), {}, self._now())) from error
        if response.status != 200:
            words = data.decode("utf-8", "replace")
            raise CallError(classify(("APIStatusError",), response.status, words, headers_of(response), self._now()))
        return _vectors(data)


def _vectors(data: bytes) -> Counted:
    """Values of an answer in the order of their `index`; unchecked.

    Raises:
        CallError: the data is no answer.
    """
    try:
        answer = _DECODER.decode(data)
        pairs: list[tuple[object, object]] = [(item.index, item.embedding) for item in answer.data]
        usage = answer.usage
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pairs, usage = _odd_vectors(data)
    places = {index: place for place, (index, _) in enumerate(pairs) if type(index) is int}
    if places.keys() == set(range(len(pairs))):
        pairs = [pairs[places[index]] for index in range(len(pairs))]
    return Counted((_decode_embedding(embedding) for _, embedding in pairs), count_in(usage))


def _odd_vectors(data: bytes) -> tuple[list[tuple[object, object]], object]:
    """Index and value of each item, and the usage, even with invalid values, for example NaN; the rest may be valid."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CallError(Fault(FaultKind.UNREADABLE)) from error
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise CallError(Fault(FaultKind.UNREADABLE))
    known = [item if isinstance(item, dict) else {} for item in items]
    return [(item.get("index"), item.get("embedding")) for item in known], answer.get("usage")


def _decode_embedding(embedding: object) -> object:
    """Numbers, decoded if in base64; None for an undecodable string."""
    if not isinstance(embedding, str):
        return embedding
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    except (binascii.Error, ValueError):
        return None


make_ready(__name__)
