"""HTTP responses in Discord's form: JSON, and 429."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from lab.playground.gateway.events import encode

JSON_TYPE = "application/json"


def json_response(payload: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Answer with a Content-Type of exactly `application/json`: discord.py compares for equality."""
    return web.Response(body=encode(payload), status=status, headers=headers, content_type=JSON_TYPE)


def rate_limit(
    headers: dict[str, str], retry_after_s: float, *, is_global: bool = False, with_via: bool = True
) -> web.Response:
    """Response with status 429; without `Via` a client assumes a ban by Cloudflare."""
    headers = {**headers, "X-RateLimit-Scope": "global" if is_global else "user", "Retry-After": str(retry_after_s)}
    if is_global:
        headers["X-RateLimit-Global"] = "true"
    if with_via:
        headers["Via"] = "1.1 google"
    body = {"message": "You are being rate limited.", "retry_after": retry_after_s, "global": is_global}
    return json_response(body, 429, headers)
