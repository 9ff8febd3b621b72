"""What every REST call goes through: faults, token, rate limit, body, error answers, log."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from aiohttp import BodyPartReader, web

from lab.playground.gateway.events import encode
from lab.playground.gateway.protocol import reset_transport
from lab.playground.hub import Hub
from lab.playground.world.defaults import API_PATH
from lab.playground.world.errors import ApiError, invalid_form, too_large, unauthorized
from lab.playground.world.faults import Fault, FaultKind
from lab.playground.world.records import Upload
from lab.playground.world.request_log import RequestRecord
from lab.playground.world.rules import FILE_LIMIT_BYTES, REQUEST_LIMIT_BYTES

JSON_TYPE = "application/json"
_decode = msgspec.json.Decoder().decode
_HTML = "<!doctype html><title>{status}</title><h1>Error {status}</h1><p>The origin is having a bad day.</p>"
_LIMIT_KINDS = (FaultKind.LIMIT_USER, FaultKind.LIMIT_GLOBAL, FaultKind.LIMIT_WITHOUT_VIA)
_ERROR_KINDS = (FaultKind.ERROR_500, FaultKind.ERROR_502, FaultKind.ERROR_503, FaultKind.ERROR_504)


@dataclass(slots=True)
class Call:
    """One request, its body read and decoded."""

    method: str
    path: str
    """Without the API prefix."""
    params: dict[str, str]
    query: dict[str, str]
    payload: Any = field(default_factory=dict)
    uploads: list[Upload] = field(default_factory=list)

    def id(self, name: str) -> int:
        """A snowflake of the path."""
        return int(self.params[name])


Handler = Callable[[Call], Awaitable[Any]]
"""Gives the JSON answer, or None for 204; raises `ApiError`."""


@dataclass(frozen=True, slots=True)
class Route:
    """One REST route.

    Attributes:
        path: With `{name}` for what varies; `…_id` takes digits only.
        bucket: Rate-limit bucket.
        major: The path parameter the limit is counted for.
        needs_token: Interaction and webhook routes carry no token.
    """

    method: str
    path: str
    handler: Handler
    bucket: str = "other"
    major: str = ""
    needs_token: bool = True


class Rest:
    """Serves routes under `/api/v10`.

    Args:
        hub: The playground.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def add(self, app: web.Application, routes: list[Route]) -> None:
        """Register `routes` with the web application."""
        for route in routes:
            path = route.path.replace("_id}", r"_id:\d+}")
            app.router.add_route(route.method, API_PATH + path, self._endpoint(route))

    def _endpoint(self, route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def endpoint(request: web.Request) -> web.StreamResponse:
            call = Call(
                request.method, request.path.removeprefix(API_PATH), dict(request.match_info), dict(request.query)
            )
            fault = self._hub.faults.take(call.method, call.path)
            response = await self._answer(request, route, call, fault)
            aborted = fault is not None and fault.kind in (FaultKind.ABORT_BEFORE, FaultKind.ABORT_AFTER)
            self._hub.requests.add(
                RequestRecord(
                    call.method,
                    call.path,
                    call.payload,
                    call.query,
                    0 if aborted else response.status,
                    str(fault.kind) if fault else None,
                )
            )
            if aborted:
                reset_transport(request.transport)
            return response

        return endpoint

    async def _answer(self, request: web.Request, route: Route, call: Call, fault: Fault | None) -> web.Response:
        if fault is not None:
            instead = await self._faulty(fault, route)
            if instead is not None:
                return instead
        verdict = self._hub.limiter.check(route.bucket, call.params.get(route.major, ""))
        if not verdict.allowed:
            return limited(verdict.headers, verdict.retry_after_s)
        try:
            if route.needs_token and request.headers.get("Authorization") != f"Bot {self._hub.gateway.token}":
                raise unauthorized()
            await _read_body(request, call)
            answer = await route.handler(call)
        except ApiError as error:
            return json_response(error.body(), error.status, verdict.headers)
        except (KeyError, TypeError, ValueError) as error:
            broken = ApiError(400, 50035, f"Invalid Form Body: {type(error).__name__}: {error}")
            return json_response(broken.body(), broken.status, verdict.headers)
        if answer is None:
            return web.Response(status=204, headers=verdict.headers)
        return json_response(answer, 200, verdict.headers)

    async def _faulty(self, fault: Fault, route: Route) -> web.Response | None:
        """The answer instead of the work; None when the work shall be done."""
        headers = self._hub.limiter.check("fault", "").headers
        if fault.kind is FaultKind.DELAY:
            await asyncio.sleep(fault.delay_s)
        elif fault.kind in _LIMIT_KINDS:
            headers["X-RateLimit-Bucket"] = f"playground-{route.bucket}"
            is_global = fault.kind is FaultKind.LIMIT_GLOBAL
            with_via = fault.kind is not FaultKind.LIMIT_WITHOUT_VIA
            return limited(headers, fault.retry_after_s, is_global=is_global, with_via=with_via)
        elif fault.kind in _ERROR_KINDS:
            return json_response({"message": f"{fault.kind}: injected", "code": 0}, int(fault.kind), headers)
        elif fault.kind is FaultKind.HTML:
            return web.Response(status=fault.status, text=_HTML.format(status=fault.status), content_type="text/html")
        elif fault.kind is FaultKind.ABORT_BEFORE:
            return web.Response(status=503)
        return None


def json_response(payload: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """An answer whose Content-Type is exactly `application/json`: discord.py compares for equality."""
    return web.Response(body=encode(payload), status=status, headers=headers, content_type=JSON_TYPE)


def limited(
    headers: dict[str, str], retry_after_s: float, *, is_global: bool = False, with_via: bool = True
) -> web.Response:
    """A 429; without `Via` a client takes it for a ban by Cloudflare."""
    headers = {**headers, "X-RateLimit-Scope": "global" if is_global else "user", "Retry-After": str(retry_after_s)}
    if is_global:
        headers["X-RateLimit-Global"] = "true"
    if with_via:
        headers["Via"] = "1.1 google"
    body = {"message": "You are being rate limited.", "retry_after": retry_after_s, "global": is_global}
    return json_response(body, 429, headers)


async def _read_body(request: web.Request, call: Call) -> None:
    if not request.can_read_body:
        return
    if (request.content_length or 0) > REQUEST_LIMIT_BYTES:
        raise too_large()
    if request.content_type == "multipart/form-data":
        await _read_multipart(request, call)
    elif request.content_type == JSON_TYPE:
        try:
            data = await request.read()
        except web.HTTPRequestEntityTooLarge as error:
            raise too_large() from error
        call.payload = _decode_json(data) if data else {}


async def _read_multipart(request: web.Request, call: Call) -> None:
    files: dict[str, tuple[str, str | None, bytes]] = {}
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise invalid_form("payload_json", "BASE_TYPE_BAD", "Nested multipart is not accepted")
        data = await _read_part(part)
        if part.name == "payload_json":
            call.payload = _decode_json(data)
        elif part.name and part.filename:
            number = part.name.removeprefix("files[").removesuffix("]")
            files[number] = (part.filename, part.headers.get("Content-Type"), data)
    described = {str(entry.get("id")): entry for entry in call.payload.get("attachments") or ()}
    for number, (filename, content_type, data) in files.items():
        entry = described.get(number, {})
        kind = None if content_type == "application/octet-stream" else content_type
        call.uploads.append(Upload(entry.get("filename") or filename, data, kind, entry.get("description")))


async def _read_part(part: BodyPartReader) -> bytes:
    data = bytearray()
    while chunk := await part.read_chunk(1 << 16):
        data += chunk
        if len(data) > FILE_LIMIT_BYTES:
            raise too_large()
    return bytes(data)


def _decode_json(data: bytes | bytearray) -> Any:
    try:
        return _decode(data)
    except msgspec.DecodeError as error:
        raise ApiError(400, 50109, "The request body contains invalid JSON.") from error
