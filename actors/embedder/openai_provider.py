"""Embeddings of a server that speaks OpenAI's form, by its address; without litellm."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable, Sequence
from datetime import datetime

import aiohttp
import msgspec
import numpy as np

from actors.embedder.backend import CallError, Limits, chain
from domain.policy.retrying import Fault, FaultKind, classify
from messages.embedder import TextRole

MOST_ANSWER_BYTES = 64 * 1024 * 1024


class _Item(msgspec.Struct):
    embedding: list[float] | str | None = None
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Item]


_DECODER = msgspec.json.Decoder(_Answer)


class OpenAIBackend:
    """Backend on `POST {api_base}/embeddings`; documents and queries are the same to it."""

    def __init__(
        self, *, model: str, api_key: str, api_base: str, timeout_s: float, now: Callable[[], datetime]
    ) -> None:
        """Nothing is opened yet.

        Args:
            model: As the server names it.
            api_key: Empty for none.
            api_base: Such as `http://127.0.0.1:11434/v1`.
            timeout_s: Longest wait for one call.
            now: The wall clock, aware.
        """
        self._model = model
        self._api_key = api_key
        self._address = f"{api_base.rstrip('/')}/embeddings"
        self._now = now
        self._session: aiohttp.ClientSession | None = None
        self._calls: set[asyncio.Task[object] | None] = set()
        self.limits = Limits(texts=64, chars=100_000, calls=16, documents=8, timeout_s=timeout_s)

    async def warm_up(self) -> None:
        """Nothing is slow here."""

    async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:  # noqa: ARG002
        """The server's vectors, in the order of their `index` where they have one."""
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        task = asyncio.current_task()
        self._calls.add(task)
        try:
            async with self._open_session().post(
                self._address, data=msgspec.json.encode(body), headers=headers, allow_redirects=False
            ) as response:
                data = await _read(response)
        except (aiohttp.ClientError, OSError) as error:
            names = [kind.__name__ for link in chain(error) for kind in type(link).__mro__]
            raise CallError(classify(names, None, str(error), {}, self._now())) from error
        finally:
            self._calls.discard(task)
        if response.status != 200:
            words = data[:4_000].decode("utf-8", "replace")
            lower = {name.lower(): value for name, value in response.headers.items()}
            raise CallError(classify(("APIStatusError",), response.status, words, lower, self._now()))
        return _vectors(data)

    async def close(self) -> None:
        """End calls that are under way, and close the connections."""
        for task in tuple(self._calls):
            if task is not None:
                task.cancel()
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=None), trust_env=True
            )
        return self._session


async def _read(response: aiohttp.ClientResponse) -> bytes:
    data = bytearray()
    async for chunk in response.content.iter_any():
        data += chunk
        if len(data) > MOST_ANSWER_BYTES:
            raise CallError(Fault(FaultKind.UNREADABLE))
    return bytes(data)


def _vectors(data: bytes) -> list[object]:
    try:
        items = _DECODER.decode(data).data
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CallError(Fault(FaultKind.UNREADABLE)) from error
    if sorted(item.index for item in items if item.index is not None) == list(range(len(items))):
        items.sort(key=lambda item: item.index or 0)
    return [_vector(item.embedding) for item in items]


def _vector(embedding: list[float] | str | None) -> object:
    """Numbers, or what says them in base64."""
    if not isinstance(embedding, str):
        return embedding
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    except (binascii.Error, ValueError):
        return None
