"""HTTP server of the gateway: routes, the guard in front of them, and its beginning and end on the loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable

from aiohttp import web

from actors.gateway.access import Caller, Door
from actors.gateway.chat import Chat
from actors.gateway.config import GatewayConfig
from actors.gateway.errors import GatewayError, response_of
from actors.gateway.exchange import Exchange
from actors.gateway.metrics import Metrics
from actors.gateway.passing import BrokenAnswerError, Upstream, break_off, relay

log = logging.getLogger(__name__)

CHAT_PATHS = ("/v1/chat/completions", "/chat/completions")
SHUTDOWN_S = 2.0
"""For requests that are under way when it ends."""


class Server:
    """Server on one address, from `start` to `stop`; used on the loop."""

    def __init__(self, config: GatewayConfig, exchange: Exchange, metrics: Metrics) -> None:
        """Nothing is opened yet.

        Args:
            config: Where, and for whom.
            exchange: Asks the memory.
            metrics: Are counted.
        """
        self._config = config
        self._metrics = metrics
        self._door = Door(config.keys)
        self._upstream = Upstream(config)
        self._chat = Chat(config, self._upstream, exchange, metrics)
        self._runner: web.AppRunner | None = None

    async def start(self) -> int:
        """Listen; gives the port.

        Raises:
            OSError: the address cannot be listened on.
        """
        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/{path:.*}", self._serve)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=SHUTDOWN_S)
        await runner.setup()
        site = web.TCPSite(runner, self._config.address, self._config.port, backlog=1_024)
        try:
            await site.start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        self._upstream.start()
        return int(runner.addresses[0][1])

    async def stop(self) -> None:
        """Take no more requests, let those that run end, close everything."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        await self._upstream.close()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        kind, handler = self._route(request)
        self._metrics.in_flight += 1
        status = 500
        try:
            answer = await handler(request)
            status = answer.status
        except GatewayError as error:
            answer = response_of(error)
            status = answer.status
            if error.status in (400, 413) and not request.content.at_eof():
                answer.force_close()
        except (BrokenAnswerError, ConnectionError) as error:
            status = 499
            log.info("an answer was broken off: %s", error)
            break_off(request)
            answer = web.Response(status=502)
        except asyncio.CancelledError:
            status = 499
            raise
        except Exception:
            log.exception("a request failed inside the gateway")
            answer = response_of(GatewayError(500, "the gateway failed; its log says why"))
        finally:
            self._metrics.in_flight -= 1
            self._metrics.requests[kind, status] += 1
        return answer

    def _route(self, request: web.Request) -> tuple[str, Callable[[web.Request], Awaitable[web.StreamResponse]]]:
        if request.path == "/health" and request.method in ("GET", "HEAD"):
            return "own", self._health
        if request.path == "/metrics" and request.method in ("GET", "HEAD"):
            return "own", self._tell_metrics
        if request.path in CHAT_PATHS:
            return "chat", self._complete
        return "pass", self._pass

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        caller = self._caller(request)
        if request.method != "POST":
            raise GatewayError(405, f"method {request.method}: POST is required here")
        return await self._chat.serve(request, caller)

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        self._caller(request)
        body = self._body(request) if request.can_read_body else None
        async with self._upstream.call(request, body, is_read=False) as response:
            return await relay(request, response, {})

    async def _health(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002
        return web.json_response({"status": "ok"})

    async def _tell_metrics(self, request: web.Request) -> web.StreamResponse:
        self._caller(request)
        return web.Response(text=self._metrics.text(), content_type="text/plain")

    def _caller(self, request: web.Request) -> Caller:
        return self._door.caller(request.headers)

    async def _body(self, request: web.Request) -> AsyncIterator[bytes]:
        size = 0
        async for piece in request.content.iter_any():
            size += len(piece)
            if size > self._config.max_body_bytes:
                raise GatewayError(
                    413, f"the body has more than {self._config.max_body_bytes} bytes (facts.max_body_mib)"
                )
            yield piece
