"""Session with a server: what becomes of requests, whatever the library does with their work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from actors.mcp.config import ServerConfig
from actors.mcp.errors import ServerError
from actors.mcp.session import Session
from tests.patience import PATIENCE_S


@asynccontextmanager
async def connect(
    _config: ServerConfig, _change: Callable[[], None], _end: Callable[[str], None]
) -> AsyncIterator[Any]:
    yield SimpleNamespace(title="", instructions="")


def test_a_request_that_the_library_cancels_by_itself_is_refused_and_the_next_is_served() -> None:
    async def cancel(_client: object) -> str:
        raise asyncio.CancelledError

    async def answer(_client: object) -> str:
        return "done"

    async def play() -> str:
        session = Session(ServerConfig(name="s"), connect, idle_s=PATIENCE_S, start_s=PATIENCE_S)
        with pytest.raises(ServerError, match="broken off"):
            await session.run(cancel)
        text = await session.run(answer)
        await session.close()
        return text

    assert asyncio.run(play()) == "done"
