from __future__ import annotations

import asyncio
import gc
import warnings

import aiohttp
import pytest
from aiohttp import web

from actors.discord.connection.sockets import Sockets


class Http:
    """discord.py's HTTP client as far as it opens sockets."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def ws_connect(self, url: str) -> aiohttp.ClientWebSocketResponse:
        return await self._session.ws_connect(url, timeout=aiohttp.ClientWSTimeout(ws_close=30.0))


async def _silent(request: web.Request) -> web.WebSocketResponse:
    """Accepts a socket and says nothing, not even goodbye."""
    socket = web.WebSocketResponse(autoclose=False)
    await socket.prepare(request)
    await asyncio.sleep(3600)
    return socket


@pytest.mark.filterwarnings("error")
def test_a_socket_that_discord_py_forgets_while_it_opens_is_closed_all_the_same() -> None:
    async def main() -> tuple[int, float]:
        app = web.Application()
        app.router.add_get("/", _silent)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        url = f"ws://127.0.0.1:{runner.addresses[0][1]}/"
        async with aiohttp.ClientSession() as session:
            http = Http(session)
            sockets = Sockets(http, lambda: None)
            for _ in range(2):
                await http.ws_connect(url)
            begin = asyncio.get_running_loop().time()
            await sockets.close(0.1)
            took_s = asyncio.get_running_loop().time() - begin
            assert session.connector is not None
            left = len(session.connector._acquired)
        await runner.cleanup()
        return left, took_s

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        left, took_s = asyncio.run(main())
        gc.collect()
    assert left == 0
    assert took_s < 10
    assert [str(warning.message) for warning in warned if warning.category is ResourceWarning] == []


def test_discord_py_still_has_what_is_changed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from discord.http import HTTPClient

    assert asyncio.iscoroutinefunction(HTTPClient.ws_connect)
