"""Bodies of requests: read whole, or passed on as they come, in bounded length."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from actors.gateway.errors import GatewayError


class Body:
    """Body of a request, of which at most so many bytes are taken."""

    def __init__(self, request: web.Request, most_bytes: int) -> None:
        """Nothing is read yet.

        Args:
            request: Whose.
            most_bytes: Of it.

        Raises:
            GatewayError: it says itself that it is longer.
        """
        self._request = request
        self._most_bytes = most_bytes
        if (request.content_length or 0) > most_bytes:
            raise self._too_long()

    async def read(self) -> bytes:
        """All of it.

        Raises:
            GatewayError: it is longer, or does not come whole.
        """
        data = bytearray()
        try:
            async for piece in self._pieces():
                data += piece
        except (aiohttp.ClientError, web.RequestPayloadError) as error:
            raise GatewayError(400, "the body did not come whole") from error
        return bytes(data)

    def data(self, headers: CIMultiDict[str]) -> AsyncIterator[bytes] | None:
        """The body as it comes, None for none; where its length is known it is said in `headers`, as it was to us."""
        if not self._request.can_read_body:
            return None
        if self._request.content_length is not None:
            headers["Content-Length"] = str(self._request.content_length)
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._request.content.iter_any():
            size += len(piece)
            if size > self._most_bytes:
                raise self._too_long()
            yield piece

    def _too_long(self) -> GatewayError:
        return GatewayError(413, f"the body has more than {self._most_bytes} bytes (facts.max_body_mib)")


def too_long_of(error: BaseException) -> GatewayError | None:
    """The refusal of a body that was passed on, if that is what an error of the connection comes from."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, GatewayError):
        cause = cause.__cause__
    return cause
