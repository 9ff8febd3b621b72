"""Routes of the web page: its files, the gateway on the same port, and the live feed."""

from __future__ import annotations

import asyncio
import re
from collections import deque

from aiohttp import web

from actors.http_server.page_file import PATTERN, page_file
from lab.playground.gateway.events import Event
from lab.playground.hub import Hub
from lab.playground.world.given import GivenMemories

_SNOWFLAKE = re.compile(r"[1-9][0-9]{14,19}", re.ASCII)
_FEED_LIMIT = 5000
_KEEP_ALIVE_S = 20.0
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; frame-src 'self' http://127.0.0.1:*; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; object-src 'none'"
    ),
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageRoutes:
    """Routes of the page, and the push of events to the page."""

    def __init__(self, hub: Hub) -> None:
        """No page is open.

        Args:
            hub: The playground.
        """
        self._hub = hub
        self._feeds: set[asyncio.Task[None]] = set()
        self._given_memories = GivenMemories()

    def add(self, app: web.Application) -> None:
        """Register the routes."""
        app.router.add_get("/", self._root)
        app.router.add_get("/gateway/{gateway_key}", self._hub.gateway.serve)
        app.router.add_get("/feed", self._feed)
        app.router.add_get("/observer", self._observer)
        app.router.add_get("/given", self._serve_given)
        app.router.add_get(PATTERN, self._file)
        app.on_shutdown.append(self._end_feeds)

    async def _root(self, _: web.Request) -> web.Response:
        return page_file("lab.playground", "index.html", _HEADERS)

    async def _file(self, request: web.Request) -> web.Response:
        return page_file("lab.playground", request.match_info["name"], _HEADERS)

    async def _observer(self, _: web.Request) -> web.Response:
        """Redirect to the page with the bot's actors, if the observer has started."""
        companion = self._hub.companion
        address = companion.observer_address() if companion is not None else ""
        if not address:
            text = "The observer has not started yet: it starts with the bot, in a moment.\n"
            return web.Response(status=503, text=text, headers=_HEADERS)
        return web.Response(status=303, headers={**_HEADERS, "Location": address})

    async def _serve_given(self, request: web.Request) -> web.Response:
        """Serve the memories given to the bot for an answer."""
        channel, message = (request.query.get(name, "") for name in ("channel", "message"))
        if not (_SNOWFLAKE.fullmatch(channel) and _SNOWFLAKE.fullmatch(message)):
            text = "channel and message must be ids of 15 to 20 digits\n"
            return web.Response(status=400, text=text, headers=_HEADERS)
        companion = self._hub.companion
        report = await self._given_memories.of(companion, channel, message) if companion is not None else {"given": []}
        return web.json_response(report, headers=_HEADERS)

    async def _feed(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events; a page that lags too far behind is cut off and comes back for the whole state."""
        response = web.StreamResponse(headers={**_HEADERS, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        task = asyncio.current_task()
        queue: deque[bytes] = deque([b'retry: 1000\ndata: {"t":"PLAYGROUND_HELLO","d":{}}\n\n'])
        has_events = asyncio.Event()

        def listen(event: Event) -> None:
            if event.name != "INTERACTION_CREATE":
                queue.append(b'data: {"t":"%s","d":%s}\n\n' % (event.name.encode(), event.to_json()))
                has_events.set()

        self._hub.feed.subscribe(listen)
        if task is not None:
            self._feeds.add(task)
        try:
            while len(queue) <= _FEED_LIMIT:
                has_events.clear()
                chunk = b"".join(queue) or b": still here\n\n"
                queue.clear()
                await response.write(chunk)
                try:
                    await asyncio.wait_for(has_events.wait(), _KEEP_ALIVE_S)
                except TimeoutError:
                    continue
        except (ConnectionError, asyncio.CancelledError):
            return response
        finally:
            self._hub.feed.unsubscribe(listen)
            self._feeds.discard(task)
        return response

    async def _end_feeds(self, _: web.Application) -> None:
        for task in self._feeds:
            task.cancel()
        if self._feeds:
            await asyncio.wait(self._feeds)
