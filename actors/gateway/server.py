"""HTTP server of the gateway: routes, their guard, and its start and end on the loop."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

from aiohttp import web
from aiohttp.typedefs import Handler

from actors.gateway.access import Caller, Door
from actors.gateway.body import AGAIN_S, Body, BodyBounds, BodyBudget
from actors.gateway.chat import Chat
from actors.gateway.config import GatewayConfig
from actors.gateway.errors import GatewayError, response_of
from actors.gateway.metrics import Metrics
from actors.gateway.naming import split_path
from actors.gateway.passing import MOST_HEADER_BYTES, BrokenAnswerError, Upstream, break_off, drop_invented, relay
from actors.http_server.exchange import Exchange
from actors.http_server.expectation import send_no_word, unknown_expectations
from actors.http_server.listener import ClientFaults, Listener
from actors.http_server.places import Places
from actors.linux.tcp_peer import uid_of_peer

log = logging.getLogger(__name__)

CHAT_PATHS = ("/v1/chat/completions", "/chat/completions")
BROKEN_OFF = 499
NOT_LET_IN = frozenset({401, 403, 429})
"""Statuses that close the connection, to free the place for another client."""
ROOT_UID = 0
"""Root can read the facts and the secrets anyway."""
_SLASHES = re.compile("/{2,}")
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Server:
    """Server on one address, from `start` to `stop`; used on the loop."""

    def __init__(self, config: GatewayConfig, exchange: Exchange, metrics: Metrics) -> None:
        """Begin without a socket.

        Args:
            config: Address and clients.
            exchange: Asks the memory.
            metrics: Are counted.
        """
        self._config = config
        self._exchange = exchange
        self._metrics = metrics
        self._door = Door(config.keys, config.origins)
        self._bounds = bounds_of(config)
        self._upstream = Upstream(config)
        self._chat = Chat(config, self._upstream, exchange, metrics, BodyBudget(self._bounds))
        self._runner: web.AppRunner | None = None
        self._listener = Listener(places_of(config))
        self._changing = asyncio.Lock()

    async def start(self) -> int:
        """Listen, unless already listening; return the port.

        Raises:
            OSError: listening on the address is impossible.
            UnicodeError: the address is invalid.
        """
        async with self._changing:
            if self._runner is None:
                runner = self._new_runner()
                try:
                    await runner.setup()
                    await self._listener.listen(runner, self._config.address, self._config.port)
                except BaseException:
                    await runner.cleanup()
                    raise
                self._upstream.start()
                self._runner = runner
            return self._listener.port

    async def stop(self) -> None:
        """Take no more requests, let running requests end, close everything."""
        async with self._changing:
            if self._runner is not None:
                await self._listener.close()
                await self._runner.cleanup()
                self._runner = None
            await self._upstream.close()

    def _new_runner(self) -> web.AppRunner:
        app = web.Application(middlewares=[self._listener.middleware(), self._serve_all], client_max_size=0)
        app.router.add_route("*", "/{path:.*}", self._serve, expect_handler=send_no_word)
        app.on_response_prepare.append(drop_invented)
        app.on_response_prepare.append(self._share)
        return web.AppRunner(
            app,
            access_log=None,
            auto_decompress=False,
            handler_cancellation=True,
            logger=ClientFaults(log),
            max_line_size=MOST_HEADER_BYTES,
            max_field_size=MOST_HEADER_BYTES,
            shutdown_timeout=self._config.shutdown_s,  # the library waits twice as long
        )

    @web.middleware
    async def _serve_all(self, request: web.Request, handler: Handler) -> web.StreamResponse:  # noqa: ARG002
        """Serve requests without a path too (`OPTIONS *`), since the library's own refusal has another form."""
        return await self._serve(request)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        kind, handler = self._route(request)
        self._metrics.in_flight += 1
        began, status = self._exchange.monotonic(), 500
        try:
            answer = await handler(request)
            status = answer.status
            if not answer.prepared and not request.content.at_eof():
                answer.force_close()  # or a body that was not asked for would be taken for the next request
        except GatewayError as error:
            answer = response_of(error)
            status = answer.status
            if status in NOT_LET_IN or not request.content.at_eof():
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
        if "websocket" in request.headers.get("Upgrade", "").lower():
            return "pass", self._refuse_socket
        is_preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        if is_preflight and self._door.shares_with(request.headers.get("Origin", "")):
            return "own", self._allow
        named, target = split_path(request.raw_path)
        path = target.partition("?")[0] if named else request.path
        if _SLASHES.sub("/", path).rstrip("/") in CHAT_PATHS and request.method == "POST":
            return "chat", self._complete
        return "pass", self._pass

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        return await self._chat.serve(request, await self._caller(request))

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        await self._caller(request)
        body = Body(request, self._bounds)
        target = split_path(request.raw_path)[1]
        address = self._upstream.address(target)
        self._require_open(request.path)
        async with self._upstream.call(request, address, body, is_read=False) as response:
            return await relay(request, response, {}, hidden=self._upstream.key)

    def _require_open(self, path: str) -> None:
        """Refuse a path outside `/v1` to clients with keys, whom the operator's key would serve there.

        Raises:
            GatewayError: the path is not open.
        """
        is_below = re.match(r"/+v1(?:/|$)", path) is not None or path == "/"
        if self._config.keys and not is_below and not path.startswith(self._config.open_paths):
            raise GatewayError(403, f"path {path[:80]!r}: with keys only /v1 and facts.open_paths are served")

    async def _refuse_socket(self, request: web.Request) -> web.StreamResponse:
        await self._caller(request)
        raise GatewayError(
            426, "WebSockets are not passed on: ask with HTTP, streamed answers come as server-sent events"
        )

    async def _allow(self, request: web.Request) -> web.StreamResponse:
        """Answer to a preflight: a preflight never carries a key, but the following request must."""
        headers = request.headers.get("Access-Control-Request-Headers", "")
        response = web.Response(status=204)
        response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
        response.headers["Access-Control-Allow-Headers"] = headers or "authorization, content-type"
        response.headers["Access-Control-Max-Age"] = "600"
        response.force_close()  # A stranger keeps no place by it.
        return response

    async def _share(self, request: web.Request, answer: web.StreamResponse) -> None:
        """Let a page read an answer, unless the model's server names permitted pages itself."""
        origin = request.headers.get("Origin", "")
        if origin and self._door.shares_with(origin) and "Access-Control-Allow-Origin" not in answer.headers:
            answer.headers["Access-Control-Allow-Origin"] = origin
            answer.headers["Access-Control-Expose-Headers"] = "*"
            answer.headers.add("Vary", "Origin")

    async def _health(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002
        response = web.json_response({"status": "ok"})
        response.force_close()  # anybody may ask, and nobody who asks keeps a place by it
        return response

    async def _tell_metrics(self, request: web.Request) -> web.StreamResponse:
        await self._caller(request)
        return web.Response(body=self._metrics.text().encode(), headers={"Content-Type": METRICS_TYPE})

    async def _caller(self, request: web.Request) -> Caller:
        """Client of `request`; the connection may stay from now on.

        Raises:
            GatewayError: the client is not served, or has too many connections.
        """
        caller = self._door.caller(request.headers)
        if not self._config.keys and not self._listener.is_admitted(request):
            await self._require_own_user(request)
        if not self._listener.admit(request, caller.prefix):
            raise GatewayError(429, "one key may not have more connections than this key has", again_s=AGAIN_S)
        if unknown := unknown_expectations(request):
            raise GatewayError(417, f"Expect {unknown[:80]!r}: only 100-continue is known")
        return caller

    async def _require_own_user(self, request: web.Request) -> None:
        """Refuse a connection of another user of this machine, who would read this user's conversations.

        Raises:
            GatewayError: the client is another user's, or the kernel does not tell the user.
        """
        transport = request.transport
        peer, own = (transport and transport.get_extra_info(name) for name in ("peername", "sockname"))
        uid = None
        if peer and own:
            uid = await asyncio.to_thread(uid_of_peer, peer[:2], own[:2], self._config.uid_tables)
        if uid not in (self._config.own_uid, ROOT_UID):
            whose = "of an unknown user" if uid is None else f"of user {uid}"
            raise GatewayError(
                403,
                f"this connection is {whose}: without keys only programs of user {self._config.own_uid}, who runs the "
                "gateway, are served; facts.keys gives others keys of their own",
            )


def places_of(config: GatewayConfig) -> Places:
    """Bounds on connections; without keys every client is the same owner, with a right to all places."""
    return config.places if config.keys else replace(config.places, most_of_one=config.places.most)


def bounds_of(config: GatewayConfig) -> BodyBounds:
    """Bounds on bodies: a key has half of the room at most, and enough for one body of the greatest size."""
    most = config.max_body_bytes * config.most_held_bodies
    return BodyBounds(
        most_bytes=config.max_body_bytes,
        most_held_bytes=most,
        most_of_one_bytes=max(most // 2, config.max_body_bytes) if config.keys else most,
        grace_s=config.body_grace_s,
        least_bytes_per_s=config.least_body_bytes_per_s,
        most_s=config.most_body_s,
    )
