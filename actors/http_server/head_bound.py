"""Bound on the bytes of a request's head, in front of an HTTP library that bounds each header but not their sum."""

from __future__ import annotations

import asyncio
import json

MOST_HEAD_BYTES = 65_536
"""Of a connection's first head; strangers send no other, as a refusal closes their connection."""
_END = b"\r\n\r\n"


class HeadBound(asyncio.Protocol):
    """Protocol that passes all data to an inner protocol and ends a connection with too large a first head."""

    def __init__(self, inner: asyncio.Protocol, most_bytes: int = MOST_HEAD_BYTES) -> None:
        """Begin without data.

        Args:
            inner: Protocol that gets the data.
            most_bytes: Limit of the head, its end included.
        """
        self._inner = inner
        self._left = most_bytes
        self._seen = b""
        self.is_whole = False
        """True once the whole head has come."""
        self._has_begun = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Pass the connection on."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on, unless the head would have too many."""
        if not self.is_whole and not self._fits(data):
            assert self._transport is not None
            if not self._transport.is_closing():
                self._transport.write(too_large())
                self._transport.close()
            return
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """Tell the inner protocol: the client sends no more data."""
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the inner protocol: the connection is gone."""
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Tell the inner protocol: the client takes no data for now."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Tell the inner protocol: the client takes data again."""
        self._inner.resume_writing()

    def _fits(self, data: bytes) -> bool:
        """True if the head is whole with `data`, or may still become whole within its bound."""
        if not self._has_begun:  # line ends before a request are no head
            rest = data.lstrip(b"\r\n")
            self._left -= len(data) - len(rest)
            data = rest
            self._has_begun = bool(rest)
        joined = self._seen + data
        end = joined.find(_END)
        self.is_whole = end >= 0
        self._left -= end + len(_END) - len(self._seen) if self.is_whole else len(data)
        self._seen = joined[1 - len(_END) :]
        return self._left >= 0


def too_large() -> bytes:
    """Answer to a head over the limit, in OpenAI's form, readable for people as well."""
    reason = f"the head of the request has more than {MOST_HEAD_BYTES} bytes"
    body = json.dumps({"error": {"message": reason, "type": "invalid_request_error"}}).encode()
    head = (
        "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: application/json\r\nConnection: close\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
