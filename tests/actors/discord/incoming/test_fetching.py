"""Files read from a server that means harm."""

from __future__ import annotations

import asyncio
import socket
import warnings
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
import yarl
from aiohttp import web

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    import discord

from actors.discord.calls.rest_calls import RestCalls
from actors.discord.incoming.fetching import Fetcher, UnfetchedError
from actors.linux.transports import stop_accepting
from tests.actors.discord.life import timing

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
MOST = 1000


def fetched(handler: Handler, path: str = "/file", **changes: float) -> bytearray:
    """What a fetcher gets of a server that does this to every request."""

    async def run() -> bytearray:
        app = web.Application()
        app.router.add_get("/{name:.*}", handler)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        listening = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(runner, listening).start()
        origin = yarl.URL(f"http://127.0.0.1:{runner.addresses[0][1]}")
        rest = RestCalls(timing=timing(**changes), on_fatal=lambda _: None)
        try:
            async with aiohttp.ClientSession() as session:
                http = SimpleNamespace(_HTTPClient__session=session, proxy=None, proxy_auth=None)
                rest.employ(cast("discord.Client", SimpleNamespace(http=http)))
                fetcher = Fetcher(rest=rest, origins=lambda: frozenset({origin}), timing=timing(file_timeout_s=2.0))
                return await fetcher.fetch(str(origin.with_path(path)), MOST)
        finally:
            await stop_accepting([listening])
            await runner.cleanup()

    return asyncio.run(run())


async def endless(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse()
    await answer.prepare(request)
    try:
        while True:
            await answer.write(b"x" * 500)
    except ConnectionError:
        return answer


async def torn(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse(headers={"Content-Length": "500"})
    await answer.prepare(request)
    await answer.write(b"x" * 100)
    assert request.transport is not None
    request.transport.abort()
    return answer


async def compressed(_: web.Request) -> web.Response:
    return web.Response(body=b"\x1f\x8b" + bytes(50), headers={"Content-Encoding": "gzip"})


async def exact(_: web.Request) -> web.Response:
    return web.Response(body=b"x" * MOST)


def test_a_file_of_just_the_limit_is_read() -> None:
    assert fetched(exact) == b"x" * MOST


def test_an_endless_file_is_cut_off_at_the_limit() -> None:
    with pytest.raises(UnfetchedError, match="more than 1,000 bytes came"):
        fetched(endless)


def test_a_torn_file_is_never_taken_for_a_whole_one() -> None:
    with pytest.raises(UnfetchedError, match="however often it was asked"):
        fetched(torn)


def test_a_compressed_file_is_not_unpacked() -> None:
    with pytest.raises(UnfetchedError, match="compressed"):
        fetched(compressed)


def test_a_redirect_is_not_followed() -> None:
    asked: list[str] = []

    async def redirect(request: web.Request) -> web.Response:
        asked.append(request.path)
        raise web.HTTPFound(f"http://localhost:{request.url.port}/secret")

    with pytest.raises(UnfetchedError, match="leads elsewhere"):
        fetched(redirect)
    assert asked == ["/file"]


def test_nothing_of_ours_is_told_to_the_server() -> None:
    told: list[Any] = []

    async def note(request: web.Request) -> web.Response:
        told.append(request.headers.get("Authorization"))
        return web.Response(body=b"1")

    assert fetched(note) == b"1"
    assert told == [None]
