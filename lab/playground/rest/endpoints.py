"""REST pipeline, passed by every call: token, faults, rate limit, body, error answers, log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from email.utils import formatdate

from aiohttp import hdrs, web

from lab.playground.gateway.transport import reset_transport
from lab.playground.hub import Hub
from lab.playground.keys import is_same
from lab.playground.rest.body import read_body
from lab.playground.rest.responses import json_response, rate_limit
from lab.playground.rest.route import Call, Created, Route
from lab.playground.world.defaults import API_PATH
from lab.playground.world.errors import ApiError, invalid_bot_token, invalid_webhook_token
from lab.playground.world.faults import Fault, FaultKind
from lab.playground.world.objects import Json
from lab.playground.world.request_log import RequestRecord
from lab.playground.world.traffic import Exchange

_HTML = "<!doctype html><title>{status}</title><h1>Error {status}</h1><p>The origin is having a bad day.</p>"
_LIMIT_KINDS = (FaultKind.LIMIT_USER, FaultKind.LIMIT_GLOBAL, FaultKind.LIMIT_WITHOUT_VIA)
_ERROR_KINDS = (FaultKind.ERROR_500, FaultKind.ERROR_502, FaultKind.ERROR_503, FaultKind.ERROR_504)


def _not_found(_call: Call) -> None:
    raise ApiError(404, 0, "404: Not Found")


def _exchange(request: web.Request, call: Call, status: int, response: web.Response, fault: Fault | None) -> Exchange:
    answer = response.body if isinstance(response.body, bytes) else b""
    return Exchange(
        call.method,
        call.path,
        tuple(request.query.items()),
        dict(request.headers),
        call.payload if call.has_body else None,
        tuple(call.parts),
        status,
        answer,
        str(fault.kind) if fault else None,
    )


class Endpoints:
    """Routes under `/api/v10`."""

    def __init__(self, hub: Hub) -> None:
        """No route yet.

        Args:
            hub: The playground.
        """
        self._hub = hub

    def add(self, app: web.Application, routes: Sequence[Route]) -> None:
        """Register `routes` with the web application."""
        for route in routes:
            path = route.path.replace("_id}", r"_id:\d+}")
            app.router.add_route(route.method, API_PATH + path, self._endpoint(route))

    def add_unknown(self, app: web.Application) -> None:
        """Answer requests without a route as Discord does; to be added last."""
        app.router.add_route("*", API_PATH + "/{unknown:.*}", self._endpoint(Route("*", "", _not_found)))

    def _endpoint(self, route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def endpoint(request: web.Request) -> web.StreamResponse:
            path = request.path.removeprefix(API_PATH)
            call = Call(self._hub, request.method, path, dict(request.match_info), dict(request.query))
            fault, response = await self._respond(request, route, call)
            aborted = fault is not None and fault.kind in (FaultKind.ABORT_BEFORE, FaultKind.ABORT_AFTER)
            self._hub.requests.add(
                RequestRecord(
                    call.method,
                    call.path,
                    call.payload,
                    call.query,
                    0 if aborted else response.status,
                    str(fault.kind) if fault else None,
                    request.headers.get(hdrs.USER_AGENT, ""),
                )
            )
            if self._hub.tap is not None:
                self._hub.tap(_exchange(request, call, 0 if aborted else response.status, response, fault))
            if aborted:
                reset_transport(request.transport)
            response.headers[hdrs.DATE] = formatdate(self._hub.world.clock(), usegmt=True)
            return response

        return endpoint

    async def _respond(self, request: web.Request, route: Route, call: Call) -> tuple[Fault | None, web.Response]:
        """Fault of the call, and the answer; a stranger's call meets neither faults nor limits."""
        refused = self._refusal(request, route, call)
        if refused is not None:
            return None, json_response(refused.body(), refused.status)
        fault = self._hub.faults.take(call.method, call.path)
        return fault, await self._answer(request, route, call, fault)

    def _refusal(self, request: web.Request, route: Route, call: Call) -> ApiError | None:
        """Reason for refusing the caller at `route`; None for the bot, and for a holder of an interaction's token."""
        if route.needs_token:
            scheme, _, token = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
            return None if scheme == "Bot" and is_same(token, self._hub.keys.bot) else invalid_bot_token()
        return None if self._hub.interactions.is_known(call.params["token"]) else invalid_webhook_token()

    async def _answer(self, request: web.Request, route: Route, call: Call, fault: Fault | None) -> web.Response:
        if fault is not None:
            instead = await self._faulty(fault, route)
            if instead is not None:
                return instead
        verdict = self._hub.limiter.check(route.bucket, call.params.get(route.major, ""))
        if not verdict.allowed:
            return rate_limit(verdict.headers, verdict.retry_after_s)
        try:
            await read_body(request, call)
            answer = route.handler(call)
        except ApiError as error:
            return json_response(error.body(), error.status, verdict.headers)
        except (KeyError, TypeError, ValueError) as error:
            broken = ApiError(400, 50035, f"Invalid Form Body: {type(error).__name__}: {error}")
            return json_response(broken.body(), broken.status, verdict.headers)
        if answer is None or (fault is not None and fault.kind is FaultKind.NO_CONTENT):
            return web.Response(status=204, headers=verdict.headers)
        status = 200
        if isinstance(answer, Created):
            status, answer = 201, answer.payload
        if fault is not None and fault.kind is FaultKind.UNREADABLE:
            answer = {"id": answer["id"]} if isinstance(answer, dict) and "id" in answer else {}
        response = json_response(answer, status, verdict.headers)
        if fault is not None and fault.kind is FaultKind.TRUNCATED:
            assert isinstance(response.body, bytes)  # it was encoded just now
            response.body = response.body[:-1]
        return response

    async def _faulty(self, fault: Fault, route: Route) -> web.Response | None:
        """Answer instead of the work; None to do the work."""
        headers = self._hub.limiter.check("fault", "").headers
        if fault.kind is FaultKind.DELAY:
            await fault.delay()
        elif fault.kind in _LIMIT_KINDS:
            headers["X-RateLimit-Bucket"] = f"playground-{route.bucket}"
            is_global = fault.kind is FaultKind.LIMIT_GLOBAL
            with_via = fault.kind is not FaultKind.LIMIT_WITHOUT_VIA
            return rate_limit(headers, fault.retry_after_s, is_global=is_global, with_via=with_via)
        elif fault.kind in _ERROR_KINDS:
            return json_response({"message": f"{fault.kind}: injected", "code": 0}, int(fault.kind), headers)
        elif fault.kind is FaultKind.REFUSED:
            return json_response(_refusal_body(fault), fault.status, headers)
        elif fault.kind is FaultKind.HTML:
            retry_header = {"Retry-After": str(fault.retry_after_s)} if fault.status == 429 else None
            page = _HTML.format(status=fault.status)
            return web.Response(status=fault.status, text=page, content_type="text/html", headers=retry_header)
        elif fault.kind is FaultKind.ABORT_BEFORE:
            return web.Response(status=503)
        return None


def _refusal_body(fault: Fault) -> Json:
    named: Json = {"errors": {fault.named: {"_errors": []}}} if fault.named else {}
    return {"message": "refused: injected", "code": fault.code, **named}
