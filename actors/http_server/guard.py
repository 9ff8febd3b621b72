"""Guard of pages on loopback: only this machine's names, no foreign page, and only requests with the token."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

LOOPBACK_NAMES = ("127.0.0.1", "localhost")
TOKEN_QUERY = "token"
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_THRESHOLD = '<!doctype html><title>…</title><meta http-equiv="refresh" content="0; url=/">\n'


class Guard:
    """Guard in front of all routes of a server; the token is shown in the address once, and then by a cookie."""

    def __init__(self, name: str, token: str) -> None:
        """Keep the name and the token.

        Args:
            name: Name of the server, for its cookie.
            token: Secret carried by every admitted request.
        """
        self._name = name
        self._token = token

    def middleware(self) -> Middleware:
        """Middleware refusing all other requests, with a text that names the rule."""

        @web.middleware
        async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
            host = request.headers.get(hdrs.HOST, "")
            if not is_loopback_host(host):
                return _refusal(403, f"Host {host[:80]!r}: only 127.0.0.1 and localhost are served")
            if self._is_entrance(request):
                return entrance(request, cookie_name(request, self._name), self._token)
            if is_foreign(request):
                return _refusal(403, "pages of other places are not served")
            if not self._is_let_in(request):
                return _refusal(401, "a token is required: open the whole address, or send Authorization: Bearer …")
            return await handler(request)

        return check

    def _is_entrance(self, request: web.Request) -> bool:
        """True if a browser opens the whole address, by a click in another page or a file as well."""
        return is_opening(request) and self._is_token(request.query.get(TOKEN_QUERY, ""))

    def _is_let_in(self, request: web.Request) -> bool:
        scheme, _, token = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
        return self._is_token(request.cookies.get(cookie_name(request, self._name), "")) or (
            scheme.lower() == "bearer" and self._is_token(token)
        )

    def _is_token(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "surrogatepass"), self._token.encode())


def is_loopback_host(host: str) -> bool:
    """True if a Host header names this machine, with a valid port or none; False for a rebound DNS name."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname in LOOPBACK_NAMES and parts.port != 0
    except ValueError:
        return False


def is_foreign(request: web.Request) -> bool:
    """True if a browser sent this for a page of another origin."""
    origin = request.headers.get(hdrs.ORIGIN)
    if origin is not None and origin != f"http://{request.headers.get(hdrs.HOST)}":
        return True
    return request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin")


def is_opening(request: web.Request) -> bool:
    """True if a browser opens the page, by a click in another page or a file as well."""
    return request.method == "GET" and request.path == "/" and hdrs.ORIGIN not in request.headers


def entrance(request: web.Request, cookie: str, token: str) -> web.Response:
    """The page's clean address, and the token in a cookie that no script reads and no other site has sent along.

    Who comes from elsewhere gets there by a page of ours: a redirect would count as the other site's, without cookie.
    """
    if is_foreign(request):
        response = web.Response(text=_THRESHOLD, content_type="text/html", headers=_HEADERS)
    else:
        response = web.Response(status=303, headers={**_HEADERS, "Location": "/"})
    response.set_cookie(cookie, token, httponly=True, samesite="Strict", path="/")
    return response


def cookie_name(request: web.Request, server: str) -> str:
    """The name of the cookie of a server at the port of `request`: browsers keep those of all ports together."""
    return f"{server}-{urlsplit(f'//{request.host}').port or 80}"


def _refusal(status: int, why: str) -> web.Response:
    response = web.Response(status=status, text=f"{why}\n", headers=_HEADERS)
    response.force_close()  # or refused clients could keep all places, for an hour each
    return response
