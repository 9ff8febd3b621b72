"""Transport of litellm's calls, without litellm: its streams come in the pieces of a pace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from actors.http_client.library_transport import bound_calls
from actors.http_client.pacing import FEWEST_BYTES, MOST_BYTES


class Stream(httpx.AsyncByteStream):
    is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"x" * (1 << 20)

    async def aclose(self) -> None:
        self.is_closed = True


@pytest.mark.req("X-238")
def test_an_answer_that_comes_at_once_is_read_in_pieces_and_closed() -> None:
    stream, handler = Stream(), SimpleNamespace()

    async def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=stream, request=request)

    bound_calls(handler, lambda **_: SimpleNamespace(handle_async_request=answer))
    transport: Any = handler.create_async_transport()

    async def read() -> list[bytes]:
        response = await transport.handle_async_request(httpx.Request("POST", "http://127.0.0.1/"))
        pieces = [piece async for piece in response.aiter_raw()]
        await response.aclose()
        return pieces

    pieces = asyncio.run(read())

    assert b"".join(pieces) == b"x" * (1 << 20)
    assert len(pieces[0]) == FEWEST_BYTES
    assert max(map(len, pieces)) <= MOST_BYTES
    assert stream.is_closed
