"""Guard of a playground: a middleware that refuses foreign hosts and origins, and callers without a key.

A route is shut unless the guard knows the route's key, so a forgotten new route stays shut.
"""

from __future__ import annotations

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from actors.http_server.guard import TOKEN_QUERY, cookie_name, entrance, is_foreign, is_loopback_host, is_opening
from lab.playground.keys import Keys, is_same
from lab.playground.world.defaults import API_PATH
from lab.playground.world.errors import invalid_bot_token

SIGNATURE_QUERY = "hm"
"""As in the addresses of Discord's CDN."""
_FOREIGN = "The playground answers its own page and local programs only.\n"
_NO_KEY = "This playground takes requests with its token only: open the whole address that it printed at its start.\n"
_NAME = "playground"
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


def guard(keys: Keys) -> Middleware:
    """Middleware of the playground with these `keys`, for all routes."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_loopback_host(request.headers.get(hdrs.HOST, "")):
            return web.Response(status=403, text=_FOREIGN)
        if is_opening(request) and is_same(request.query.get(TOKEN_QUERY), keys.person):
            return entrance(request, cookie_name(request, _NAME), keys.person)
        if is_foreign(request):
            return web.Response(status=403, text=_FOREIGN)
        if _is_of_bot(request):
            return await handler(request)  # which asks for the token that its route wants, and counts the refused
        if not (_is_person(request, keys) or _has_key_in_address(request, keys)):
            return _refusal(request)
        return await handler(request)

    return check


def _is_person(request: web.Request, keys: Keys) -> bool:
    scheme, _, token = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    return is_same(request.cookies.get(cookie_name(request, _NAME)), keys.person) or (
        scheme.lower() == "bearer" and is_same(token, keys.person)
    )


def _is_of_bot(request: web.Request) -> bool:
    """True for a route of the REST API: `rest/endpoints.py` makes and guards all of these routes."""
    return request.path.startswith(f"{API_PATH}/") and request.match_info.http_exception is None


def _has_key_in_address(request: web.Request, keys: Keys) -> bool:
    match = request.match_info
    if match.http_exception is not None:
        return False
    if "gateway_key" in match:
        return is_same(match["gateway_key"], keys.address)
    if "attachment_id" in match:
        path = attachment_path(match["channel_id"], match["attachment_id"])
        return is_same(request.query.get(SIGNATURE_QUERY), keys.signature(path))
    return False


def attachment_path(channel_id: int | str, attachment_id: int | str) -> str:
    """Signed part of an attachment's address: all of the path but the name, since its quoting varies."""
    return f"/attachments/{channel_id}/{attachment_id}/"


def _refusal(request: web.Request) -> web.Response:
    if request.path.startswith(f"{API_PATH}/"):
        return web.json_response(invalid_bot_token().body(), status=401)
    return web.Response(status=401, text=_NO_KEY, headers=_HEADERS)
