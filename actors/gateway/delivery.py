"""Delivery of an answer to its client: a stream in pieces, a document in one piece once kept."""

from __future__ import annotations

from collections.abc import Sequence

import aiohttp
from aiohttp import web

from actors.gateway.packing import PackingError, Unpacker
from actors.gateway.passing import PassedAnswer, response_headers
from actors.gateway.reading import Reading
from domain.facts.chat_request import with_hits
from messages.facts import FactHit

_STREAMS = ("text/event-stream", "application/x-ndjson", "application/jsonl")

_MOST_HELD = 65_536
"""Bytes before a document, or of a first event, held back while another answer is possible."""


class Delivery:
    """Delivery of one answer."""

    def __init__(
        self,
        request: web.Request,
        response: aiohttp.ClientResponse,
        headers: dict[str, str],
        hits: Sequence[FactHit] | None,
    ) -> None:
        """Begin without sending.

        Args:
            request: The client's.
            response: The server's answer.
            headers: Besides the server's.
            hits: To be told in a document; None where the client wants none.
        """
        self._request = request
        self._response = response
        self._hits = hits
        self._headers = response_headers(response)
        self._headers.update(headers)
        self._answer: web.StreamResponse | None = None
        self._buffer = bytearray()

    @property
    def has_begun(self) -> bool:
        """True if the client was sent the head."""
        return self._answer is not None

    async def begin_early(self, *, is_asked_for_stream: bool, may_be_refused: bool) -> None:
        """Send the head before the first byte of a stream, and of any possible stream.

        Args:
            is_asked_for_stream: By the client.
            may_be_refused: True if another answer in the requested form may replace this answer.
        """
        is_called_stream = self._response.content_type in _STREAMS and not may_be_refused
        is_likely = is_called_stream or (is_asked_for_stream and self._hits is None)
        if is_likely and "Content-Length" not in self._headers:
            await self._begin()

    async def give(self, piece: bytes, reading: Reading, *, is_held: bool = False) -> None:
        """Send a piece on, or hold it: as a part of a document, or for a caller with a possible other answer."""
        is_unknown = not (reading.is_stream or reading.is_document or reading.is_unreadable)
        may_wait = is_held or (is_unknown and self._hits is not None)
        if reading.is_document or (may_wait and len(self._buffer) < _MOST_HELD):
            self._buffer += piece
            return
        answer = await self._begin()
        await answer.write(bytes(self._buffer) + piece)
        self._buffer.clear()

    def go_on(self, response: aiohttp.ClientResponse, headers: dict[str, str]) -> Delivery:
        """The delivery of another answer in place of the first, of which a stream's signs of life may have been sent.

        Args:
            response: The server's other answer.
            headers: Besides the server's; too late once the head is sent.
        """
        if self._answer is None:
            return Delivery(self._request, response, headers, None if self._hits is None else ())
        self._buffer.clear()
        return self

    async def end(self, piece: bytes = b"") -> web.StreamResponse:
        """Send the rest with a last piece, and give the whole answer."""
        self._buffer += piece
        if self._answer is None:
            if self._hits is not None:
                self._tell_hits(self._hits)
            if self._buffer:
                self._headers["Content-Length"] = str(len(self._buffer))
        answer = await self._begin()
        if self._buffer:
            await answer.write(bytes(self._buffer))
        return answer

    async def _begin(self) -> web.StreamResponse:
        if self._answer is None:
            answer = PassedAnswer(self._response, self._headers)
            await answer.begin(self._request)
            self._answer = answer
        return self._answer

    def _tell_hits(self, hits: Sequence[FactHit]) -> None:
        """Put the hits into the held document, then no longer packed."""
        unpacker = Unpacker(self._headers.get("Content-Encoding", ""))
        try:
            plain = unpacker.feed(bytes(self._buffer)) + unpacker.end()
        except PackingError:
            return
        extended = with_hits(plain, hits)
        if extended != plain:
            self._buffer = bytearray(extended)
            self._headers.popall("Content-Encoding", None)
