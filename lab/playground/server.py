"""Server of the playground: a loopback port, a thread and an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from actors.http_server.guard import TOKEN_QUERY
from actors.linux.transports import abort_transports
from lab.listener import Listener
from lab.playground.config import DEFAULTS, PlaygroundConfig
from lab.playground.control import add_control
from lab.playground.driver import Driver
from lab.playground.guard import SIGNATURE_QUERY, attachment_path, guard
from lab.playground.hub import Hub
from lab.playground.keys import Keys
from lab.playground.page_routes import PageRoutes
from lab.playground.rest import channels, interactions, messages, threads
from lab.playground.rest.endpoints import Endpoints
from lab.playground.world import defaults
from lab.playground.world.companion import Companion
from lab.playground.world.local_offer import LocalOffer
from lab.playground.world.traffic import Tap

MOST_CONNECTIONS = 256
PATIENCE_S = 20.0
"""Longer than the 15 s for which discord.py keeps an unused connection."""
_START_S = 30.0
_BODY_LIMIT_BYTES = 40 * 1024 * 1024


class PlaygroundServer(Driver):
    """Small Discord with its page on a loopback port; also every method of the driver."""

    def __init__(
        self,
        config: PlaygroundConfig = DEFAULTS,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        most_connections: int = MOST_CONNECTIONS,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Make the parts, without listening yet.

        Args:
            config: Configuration of the behaviour.
            host: A loopback address; other addresses are refused.
            port: 0 picks a free port.
            most_connections: Connections served at a time; further connections wait.
            patience_s: Time for a connection to send a request's head, the first or the next.

        Raises:
            ValueError: When `host` is not a loopback address.
        """
        if host != "127.0.0.1":
            raise ValueError(f"host {host!r}: the playground listens on 127.0.0.1 only")
        self._keys = Keys()
        super().__init__(Hub(config, self._keys))
        self._host = host
        self._most_connections = most_connections
        self._patience_s = patience_s
        self.port = port
        """Requested port; the real port after `start()`."""
        self._thread: threading.Thread | None = None
        self._stopping: asyncio.Event | None = None

    def accompany(self, data_root: Path, kill: Callable[[], None], local_offer: LocalOffer | None = None) -> None:
        """Register the bot beside the page.

        Args:
            data_root: Data root of the bot.
            kill: Kills the bot as `kill -9` does; the bot is started again.
            local_offer: Alternative model on this machine; None without a model.
        """
        self.hub.companion = Companion(data_root, kill, local_offer)

    def listen(self, tap: Tap) -> None:
        """Show `tap` every call of the bot's with its answer and every frame of the gateway, from the start on."""
        self.hub.tap = self.hub.gateway.tap = tap

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://{self._host}:{self.port}"

    @property
    def api_base(self) -> str:
        """Value for `discord.http.Route.BASE`."""
        return self.origin + defaults.API_PATH

    @property
    def gateway_url(self) -> str:
        """Address for gateway clients."""
        return f"ws://{self._host}:{self.port}/gateway/{self._keys.address}"

    @property
    def page_url(self) -> str:
        """Address to open in a browser, with the key: every holder of the address is admitted."""
        return f"{self.origin}/?{TOKEN_QUERY}={self._keys.person}"

    @property
    def bot_token(self) -> str:
        """Token for the bot's login."""
        return self._keys.bot

    @property
    def person_token(self) -> str:
        """Token after `Authorization: Bearer`, for a program that acts like the page."""
        return self._keys.person

    @property
    def first_id(self) -> int:
        """Id before all messages here: a playground has no earlier messages."""
        return self.hub.world.first_id

    def _attachment_url(self, channel_id: int, attachment_id: int, name: str) -> str:
        path = attachment_path(channel_id, attachment_id)
        return f"{self.origin}{path}{name}?{SIGNATURE_QUERY}={self._keys.signature(path)}"

    def start(self) -> None:
        """Listen; returns when connections are accepted. `OSError` when the port is taken."""
        if self._thread is not None:
            raise RuntimeError("the playground was started already")
        ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="playground", daemon=True)
        self._thread.start()
        try:
            ready.result(_START_S)
        except BaseException:
            self._thread.join()
            self._thread = None
            raise

    def stop(self) -> None:
        """Close every connection and end the thread; without effect when not running."""
        thread, loop, stopping = self._thread, self._loop, self._stopping
        if thread is None:
            return
        if loop is not None and stopping is not None and not loop.is_closed():
            loop.call_soon_threadsafe(stopping.set)
        thread.join()
        self._thread = self._loop = self._stopping = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # the server's thread

    def _run(self, ready: Future[None]) -> None:
        try:
            asyncio.run(self._serve(ready))
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    async def _serve(self, ready: Future[None]) -> None:
        app = self.application()
        runner = web.AppRunner(
            app, handle_signals=False, access_log=None, shutdown_timeout=0.1, keepalive_timeout=self._patience_s
        )
        await runner.setup()
        loop = asyncio.get_running_loop()
        assert runner.server is not None  # it was set up just now
        try:
            listener = Listener(runner.server, self._host, self.port, self._most_connections)
            self.port = listener.port
            listener.open()
            self.hub.payloads.attachment_url = self._attachment_url
            self.hub.gateway.url = self.gateway_url
            self._loop = loop
            self._stopping = asyncio.Event()
            ready.set_result(None)
            await self._stopping.wait()
            await listener.close()
        finally:
            await runner.cleanup()
            await abort_transports()

    def application(self) -> web.Application:
        """Make the web application with all routes."""
        app = web.Application(middlewares=[guard(self._keys)], client_max_size=_BODY_LIMIT_BYTES)
        rest = Endpoints(self.hub)
        for module in (messages, channels, threads, interactions):
            rest.add(app, module.ROUTES)
        rest.add_unknown(app)
        app.router.add_get(
            r"/attachments/{channel_id:\d+}/{attachment_id:\d+}/{filename}",
            partial(channels.serve_file, self.hub),
        )
        add_control(app, self.hub)
        PageRoutes(self.hub).add(app)
        app.on_shutdown.append(self._close_sockets)
        return app

    async def _close_sockets(self, _: Any) -> None:
        await self.hub.gateway.close()
