"""Errors in OpenAI's form, for refusals by the gateway itself."""

from __future__ import annotations

import json

from aiohttp import web

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    408: "timeout_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "server_error",
    503: "server_error",
}
_CODES = {401: "invalid_api_key", 502: "upstream_unreachable", 504: "upstream_timeout"}


class GatewayError(Exception):
    """The request is not served; the text gives the reason."""

    def __init__(self, status: int, message: str, param: str | None = None, *, again_s: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.again_s = again_s


def response_of(error: GatewayError) -> web.Response:
    """HTTP response for an error."""
    status = error.status
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "upstream_error")
    body = {"message": str(error), "type": kind, "param": error.param, "code": _CODES.get(status)}
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if error.again_s is not None:
        headers["Retry-After"] = str(error.again_s)
    return web.Response(
        status=status, body=json.dumps({"error": body}).encode(), content_type="application/json", headers=headers
    )
