"""Bounds on the answers of servers: bytes of a head, number of interim answers, bytes of a whole answer.

A library that reads an answer bounds single lines and fields, but not a server that goes on sending lines and fields.
Here the bytes are counted as they come from a connection, below every reader.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import BadHttpMessage, LineTooLong

from domain.text.presentable import presentable
from domain.text.terminal_text import plain

if TYPE_CHECKING:
    from aiohttp.http import RawResponseMessage
    from aiohttp.streams import StreamReader

MOST_HEAD_BYTES = 256 * 1024
"""Most bytes of the status line and all headers, interim answers' headers included."""
MOST_INTERIM_ANSWERS = 16
"""With a status of 1xx, before an answer."""
MOST_SHOWN_CHARS = 300
"""Of a server's own words."""
_SWITCHING = 101
_MOST_LINKS = 10
"""Of a chain of errors."""


class BeyondBoundError(aiohttp.ClientError):
    """A server sent too much or a forbidden answer; the text names the value and the rule, without sent content."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of an answer."""

    head_bytes: int = MOST_HEAD_BYTES
    interim_answers: int = MOST_INTERIM_ANSWERS
    answer_bytes: int | None = None
    """Bytes sent, the head included; None where the reader of the body counts."""


USUAL_BOUNDS = Bounds()


class BoundedHandler(ResponseHandler):
    """Reader of one connection's answers; ends the connection at the first byte beyond a bound."""

    def __init__(self, loop: asyncio.AbstractEventLoop, bounds: Bounds) -> None:
        """Begin without bytes.

        Args:
            loop: The connection's.
            bounds: Of each answer.
        """
        super().__init__(loop)
        self._bounds = bounds
        self._received = 0
        self._interim = 0
        self._has_head = False
        self._is_refused = False

    def begin(self) -> None:
        """Count anew, for the next answer."""
        self._received = self._interim = 0
        self._has_head = False

    def data_received(self, data: bytes) -> None:
        """Pass on received bytes, up to the bounds.

        The piece with a head's end may hold a part of the body: a head is too long only if no head has ended before.
        """
        if self._is_refused:
            return
        if not self._has_head and self._received > self._bounds.head_bytes:
            self._refuse(f"more than {self._bounds.head_bytes} bytes of headers, the most that are read")
            return
        self._received += 0 if self.upgraded else len(data)
        most = self._bounds.answer_bytes
        if most is not None and self._received > most:
            self._refuse(f"an answer of more than {most} bytes, the most that are read")
            return
        super().data_received(data)
        if self._interim > self._bounds.interim_answers:
            self._refuse(f"more than {self._bounds.interim_answers} interim answers (1xx) before its answer")

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Take in the head of an answer; no head counts after too many interim answers."""
        if data[0].code >= 200 or data[0].code == _SWITCHING:
            self._has_head = True
        else:
            self._interim += 1
        if self._interim <= self._bounds.interim_answers:
            super().feed_data(data, size)

    def set_exception(self, exc: BaseException, exc_cause: BaseException | None = None) -> None:
        """Take in an error of the connection, or of the parser; the parser's bounds are worded like all others."""
        if isinstance(exc_cause, LineTooLong):
            exc = BeyondBoundError(f"the server sent a header of more than {exc_cause.args[1]} bytes, the most of one")
        elif isinstance(exc_cause, BadHttpMessage) and exc_cause.message.startswith("Too many headers"):
            exc = BeyondBoundError("the server sent more headers than the 128 that are read")
        if exc_cause is None:
            super().set_exception(exc)
        else:
            super().set_exception(exc, exc_cause)

    def _refuse(self, what: str) -> None:
        self._is_refused = True
        error = BeyondBoundError(f"the server sent {what}")
        payload, transport = self._payload, self.transport
        self._payload = self._parser = None  # or the end of the connection would put another error in its place
        if payload is not None:
            payload.set_exception(error)
        self.set_exception(error)
        if transport is not None:
            transport.abort()


async def refuse_detours(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Middleware of sessions whose requests hold a key: a redirection or a packed answer is an error.

    Raises:
        BeyondBoundError: the answer is a redirection, or packed.
    """
    response = await handler(request)
    if fault := detour_in(response.status, response.headers.get("Location"), response.headers.get("Content-Encoding")):
        response.close()
        raise BeyondBoundError(fault)
    return response


def detour_in(status: int, location: str | None, encoding: str | None) -> str:
    """Reason to refuse an answer requested plain and from one place; empty for an acceptable answer."""
    if 300 <= status < 400 and location is not None:
        return f"the server answered {status} and leads to {shown_host(location)}, where no request is sent on"
    if (encoding or "identity").strip().lower() not in ("identity", ""):
        return "the server sent a packed answer (Content-Encoding), and only plain ones are read"
    return ""


def shown_host(location: str) -> str:
    """Host in a server's address, safe to be shown."""
    try:
        host = urlsplit(location).hostname
    except ValueError:
        return "an address that cannot be read"
    return "another path" if not host else host[:100] if host.isprintable() else "an address that cannot be read"


def shown_words(text: str | None) -> str:
    """Words of a server for a person or a model: a bounded line without control characters, hidden characters shown."""
    words = plain((text or "")[: 4 * MOST_SHOWN_CHARS]).split()
    return presentable(" ".join(words))[:MOST_SHOWN_CHARS]


def refusal_in(error: BaseException, server: str) -> str:
    """Words of a `BeyondBoundError` behind an error of a library; empty for any other error.

    Args:
        error: As the library raised it.
        server: Name of the server for a person, in place of "the server".
    """
    refusal = next((link for link in chain(error) if isinstance(link, BeyondBoundError)), "")
    return str(refusal).replace("the server", server, 1)


def chain(error: BaseException) -> list[BaseException]:
    """`error` and its causes, nearest first; litellm's exceptions keep their cause in a field of their own."""
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links and len(links) < _MOST_LINKS:
        links.append(link)
        link = getattr(link, "original_exception", None) or link.__cause__ or link.__context__
    return links
