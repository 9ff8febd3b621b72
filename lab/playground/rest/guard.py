"""Middleware against foreign callers: only those who know it by a loopback name, and no page of another origin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

LOOPBACK_NAMES = ("127.0.0.1", "localhost")


def is_loopback_host(host: str | None) -> bool:
    """Whether a Host header names this machine; a rebound DNS name does not."""
    try:
        return urlsplit(f"//{host or ''}").hostname in LOOPBACK_NAMES
    except ValueError:
        return False


def is_foreign(request: web.Request) -> bool:
    """Whether a browser sent this for a page that is not ours."""
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"http://{request.headers.get('Host')}":
        return True
    return request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin")


@web.middleware
async def guard(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse foreign hosts and origins before anything is done."""
    if not is_loopback_host(request.headers.get("Host")) or is_foreign(request):
        return web.Response(status=403, text="The playground answers its own page and local programs only.\n")
    return await handler(request)
