"""HTTP server of the gateway: routes, the guard in front of them, and its beginning and end on the loop."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from aiohttp.http import HttpProcessingError
from aiohttp.web_protocol import RequestHandler

from actors.gateway.access import Caller, Door
from actors.gateway.body import Body
from actors.gateway.chat import Chat
from actors.gateway.config import GatewayConfig
from actors.gateway.errors import GatewayError, response_of
from actors.gateway.exchange import Exchange
from actors.gateway.metrics import Metrics
from actors.gateway.passing import BrokenAnswerError, Upstream, break_off, drop_invented, relay
from actors.linux.transports import stop_accepting

log = logging.getLogger(__name__)

CHAT_PATHS = ("/v1/chat/completions", "/chat/completions")
SHUTDOWN_S = 1.0
"""For requests that are under way when it ends; the library waits twice as long."""
BROKEN_OFF = 499
_SLASHES = re.compile("/{2,}")
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


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
        self._exchange = exchange
        self._metrics = metrics
        self._door = Door(config.keys)
        self._upstream = Upstream(config)
        self._chat = Chat(config, self._upstream, exchange, metrics)
        self._runner: web.AppRunner | None = None
        self._listening: asyncio.Server | None = None
        self._coming = 0
        """Connections that were accepted in this turn of the loop, of which the library does not know yet."""
        self._changing = asyncio.Lock()

    async def start(self) -> int:
        """Listen, unless it does so already; gives the port.

        Raises:
            OSError: the address cannot be listened on.
            UnicodeError: it is no address.
        """
        async with self._changing:
            if self._runner is None:
                runner = self._new_runner()
                try:
                    await runner.setup()
                    self._listening = await self._listen(runner)
                except BaseException:
                    await runner.cleanup()
                    raise
                self._upstream.start()
                self._runner = runner
            assert self._listening is not None
            return int(self._listening.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Take no more requests, let those that run end, close everything."""
        async with self._changing:
            if self._runner is not None and self._listening is not None:
                await stop_accepting(list(self._listening.sockets))
                self._listening.close()
                await self._runner.cleanup()
                self._runner = self._listening = None
            await self._upstream.close()

    async def _listen(self, runner: web.AppRunner) -> asyncio.Server:
        """Listen, with bounds on what anybody may have before showing a key: connections, and time for a first head."""
        loop, server = asyncio.get_running_loop(), runner.server
        assert server is not None

        def connected() -> asyncio.Protocol:
            if len(server.connections) + self._coming >= self._config.most_connections:
                return _Refusal()
            self._coming += 1
            loop.call_later(0, self._has_come)
            handler = server()
            loop.call_later(self._config.first_request_s, _close_if_silent, handler)
            return handler

        return await loop.create_server(connected, self._config.address, self._config.port, backlog=128)

    def _has_come(self) -> None:
        self._coming -= 1

    def _new_runner(self) -> web.AppRunner:
        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/{path:.*}", self._serve)
        app.on_response_prepare.append(drop_invented)
        return web.AppRunner(
            app,
            access_log=None,
            auto_decompress=False,
            handler_cancellation=True,
            logger=_ClientFaults(log),
            shutdown_timeout=SHUTDOWN_S,
        )

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        kind, handler = self._route(request)
        self._metrics.in_flight += 1
        began, status = self._exchange.monotonic(), 500
        try:
            answer = await handler(request)
            status = answer.status
        except GatewayError as error:
            answer = response_of(error)
            status = answer.status
            if not request.content.at_eof():
                answer.force_close()
        except (BrokenAnswerError, ConnectionError) as error:
            status = BROKEN_OFF
            log.info("an answer was broken off: %s", error)
            break_off(request)
            answer = web.Response(status=502)
        except asyncio.CancelledError:
            status = BROKEN_OFF
            raise
        except Exception:
            log.exception("a request failed inside the gateway")
            answer = response_of(GatewayError(500, "the gateway failed; its log says why"))
        finally:
            self._metrics.in_flight -= 1
            self._metrics.requests[kind, status] += 1
            self._metrics.request_s[kind] += self._exchange.monotonic() - began
        return answer

    def _route(self, request: web.Request) -> tuple[str, Callable[[web.Request], Awaitable[web.StreamResponse]]]:
        is_looked_at = request.method in ("GET", "HEAD")
        if request.path == "/health" and is_looked_at:
            return "own", self._health
        if request.path == "/metrics" and is_looked_at:
            return "own", self._tell_metrics
        if _SLASHES.sub("/", request.path).rstrip("/") in CHAT_PATHS and request.method == "POST":
            return "chat", self._complete
        return "pass", self._pass

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        return await self._chat.serve(request, self._caller(request))

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        self._caller(request)
        body = Body(request, self._config.max_body_bytes)
        address = self._upstream.address(request.raw_path)
        async with self._upstream.call(request, address, body, is_read=False) as response:
            return await relay(request, response, {})

    async def _health(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002
        return web.json_response({"status": "ok"})

    async def _tell_metrics(self, request: web.Request) -> web.StreamResponse:
        self._caller(request)
        return web.Response(body=self._metrics.text().encode(), headers={"Content-Type": METRICS_TYPE})

    def _caller(self, request: web.Request) -> Caller:
        return self._door.caller(request.headers)


class _Refusal(asyncio.Protocol):
    """Connection of one client too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close it."""
        transport.close()


def _close_if_silent(handler: RequestHandler) -> None:
    """Close a connection on which no whole head of a request has come; its library has no such deadline."""
    if not handler._request_count and handler.transport is not None:
        handler.transport.abort()


class _ClientFaults(logging.LoggerAdapter[logging.Logger]):
    """Log of the HTTP library, to which whatever it cannot read is an exception: that is the client's fault."""

    def exception(self, msg: object, *args: object, **kwargs: Any) -> None:
        if isinstance(kwargs.get("exc_info"), HttpProcessingError):
            self.info("a client sent what is no HTTP: %s", type(kwargs["exc_info"]).__name__)
        else:
            super().exception(msg, *args, **kwargs)
