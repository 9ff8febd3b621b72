"""Expectations of clients (`Expect`, RFC 9110, 10.1.1): a word to go on is sent when a body is about to be read."""

from __future__ import annotations

from aiohttp import HttpVersion11, hdrs, web

_CONTINUE = "100-continue"


async def send_no_word(request: web.Request) -> None:
    """Take the place of the library's handler of expectations, which has a client go on before any guard has run."""


def unknown_expectations(request: web.Request) -> str:
    """Expectations of a client unknown to every server, as written; empty without any."""
    return ", ".join(each for each in _expectations(request) if each.lower() != _CONTINUE)


async def have_go_on(request: web.Request) -> None:
    """Send a client the word to go on (100 Continue), if the client holds back its body until then."""
    if _expectations(request) and request.can_read_body and request.content.total_bytes == 0:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # nothing of the answer itself has been sent


def _expectations(request: web.Request) -> list[str]:
    """Members of all headers `Expect`; empty before HTTP/1.1, as HTTP/1.0 ignores the header."""
    if request.version < HttpVersion11:
        return []
    members = (each.strip() for line in request.headers.getall(hdrs.EXPECT, ()) for each in line.split(","))
    return [each for each in members if each]
