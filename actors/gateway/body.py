"""Bodies of requests: read whole, or passed on in pieces, in bounded length, time and memory."""

from __future__ import annotations

import asyncio
import mmap
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from actors.gateway.errors import GatewayError
from actors.http_server.expectation import have_go_on

AGAIN_S = 1
"""Seconds after which a client refused for want of room may try again."""
_LARGE_BYTES = 65_536
"""Length from which a body has separate memory, returned to the system at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyBounds:
    """Bounds of request bodies."""

    most_bytes: int
    """Most bytes of one body (facts.max_body_mib)."""
    most_held_bytes: int
    """Most bytes of all bodies in memory."""
    most_of_one_bytes: int
    """Part of `most_held_bytes` for the bodies of one owner."""
    grace_s: float
    """Longest wait for a client; each byte extends the wait by its time at the least rate, up to this limit in all."""
    least_bytes_per_s: int
    """Least average rate of a body over the wait."""
    most_s: float
    """Longest wait for a client in all."""


class BodyBytes:
    """Bytes of one request in the budget."""

    def __init__(self, budget: BodyBudget, owner: str) -> None:
        """Begin without bytes."""
        self._budget = budget
        self.owner = owner
        self.size = 0

    def grow_to(self, size: int) -> None:
        """Raise the reservation to `size` bytes, if smaller.

        Raises:
            GatewayError: the budget does not have the bytes now.
        """
        if size > self.size:
            self._budget.take(self.owner, size - self.size)
            self.size = size


class BodyBudget:
    """Budget of the bytes of all request bodies in memory at a time; used on the loop."""

    def __init__(self, bounds: BodyBounds) -> None:
        """Begin without reservations."""
        self.bounds = bounds
        self._sizes: Counter[str] = Counter()

    @contextmanager
    def hold(self, owner: str) -> Iterator[BodyBytes]:
        """Reserve bytes for one request of `owner`, released at the end."""
        share = BodyBytes(self, owner)
        try:
            yield share
        finally:
            self._sizes[owner] -= share.size
            if not self._sizes[owner]:
                del self._sizes[owner]

    def take(self, owner: str, size: int) -> None:
        """Take `size` more bytes for `owner`.

        Raises:
            GatewayError: all bodies, or this owner's, would exceed their limit.
        """
        most, of_one = self.bounds.most_held_bytes, self.bounds.most_of_one_bytes
        if self._sizes[owner] + size > of_one < most:
            reason = f"the bodies of this key's other requests fill the {of_one} bytes that one key may hold at a time"
            raise GatewayError(429, reason, again_s=AGAIN_S)
        if self._sizes.total() + size > most:
            reason = f"the bodies of other requests fill the {most} bytes that the gateway holds at a time"
            raise GatewayError(503, reason, again_s=AGAIN_S)
        self._sizes[owner] += size


class Body:
    """Body of a request, bounded in bytes and in the time of each piece."""

    def __init__(self, request: web.Request, bounds: BodyBounds) -> None:
        """Begin without reading.

        Args:
            request: Request with the body.
            bounds: Bounds of the body.

        Raises:
            GatewayError: its `Content-Length` exceeds the bound.
        """
        self._request = request
        self._bounds = bounds
        if (request.content_length or 0) > bounds.most_bytes:
            raise self._too_long()

    async def read(self, share: BodyBytes) -> bytes:
        """All of it, once `share` has room for it.

        Raises:
            GatewayError: it is longer or slower than it may be, there is no room, or it does not come whole.
        """
        size = self._request.content_length or 0
        share.grow_to(size)
        if size > _LARGE_BYTES:  # Pages count from the first byte in them on, and there is nothing to grow.
            with mmap.mmap(-1, size) as pages:
                return pages[: await self._read(share, pages.write)]
        data = bytearray()
        await self._read(share, data.extend)
        return bytes(data)

    async def _read(self, share: BodyBytes, write: Callable[[bytes], object]) -> int:
        size = 0
        try:
            async for piece in self._pieces():
                size += len(piece)
                share.grow_to(size)
                write(piece)
                del piece  # or a client that sends nothing more keeps it in memory
        except (aiohttp.ClientError, web.RequestPayloadError) as error:
            raise GatewayError(400, "the body is incomplete") from error
        return size

    def data(self, headers: CIMultiDict[str]) -> AsyncIterator[bytes] | None:
        """Pieces of the body, None for no body; `headers` get the client's `Content-Length`, if any."""
        if not self._request.can_read_body:
            return None
        if self._request.content_length is not None:
            headers["Content-Length"] = str(self._request.content_length)
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[bytes]:
        """Pieces as they come.

        The time of the pieces' reader does not count as the client's.
        """
        loop, bounds, size = asyncio.get_running_loop(), self._bounds, 0
        spare_s, left_s = bounds.grace_s, bounds.most_s
        await have_go_on(self._request)
        while True:
            began_s = loop.time()
            try:
                async with asyncio.timeout(min(spare_s, left_s)):
                    piece = await self._request.content.readany()
            except TimeoutError as error:
                raise self._too_slow() from error
            waited_s = loop.time() - began_s
            spare_s = min(bounds.grace_s, spare_s - waited_s + len(piece) / bounds.least_bytes_per_s)
            left_s -= waited_s
            size += len(piece)
            if not piece:
                return
            if size > bounds.most_bytes:
                raise self._too_long()
            if min(spare_s, left_s) <= 0:
                raise self._too_slow()
            yield piece
            del piece

    def _too_slow(self) -> GatewayError:
        return GatewayError(
            408,
            f"the body came too slowly: at most {self._bounds.grace_s:g} s may pass without "
            f"{self._bounds.least_bytes_per_s} bytes a second, and {self._bounds.most_s:g} s in all",
        )

    def _too_long(self) -> GatewayError:
        return GatewayError(413, f"the body has more than {self._bounds.most_bytes} bytes (facts.max_body_mib)")


def refusal_of(error: BaseException) -> GatewayError | None:
    """Refusal of a passed-on body, if the refusal caused an error of the connection."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, GatewayError):
        cause = cause.__cause__
    return cause
