"""Bounds of answers, against a server of bytes that sends without end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from actors.http_client.bounded_answers import (
    MOST_HEAD_BYTES,
    BeyondBoundError,
    Bounds,
    detour_in,
    refusal_in,
    refuse_detours,
    shown_host,
    shown_words,
)
from actors.http_client.clean_connector import CleanConnector
from tests.patience import PATIENCE_S

_MOST_SENT = 64 << 20


class Sender:
    """A server that sends a beginning and then a piece again and again, until the client goes."""

    def __init__(self, first: bytes, piece: bytes = b"") -> None:
        self.first = first
        self.piece = piece
        self.sent = 0
        self.accepted = 0
        self.ended = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        block = self.piece * max(1, 16_384 // max(1, len(self.piece)))
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(self.first)
                while block and self.sent < _MOST_SENT:
                    writer.write(block)
                    self.sent += len(block)
                    await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the client has gone
        finally:
            writer.close()
            self.ended.set()


def ask(
    sender: Sender,
    read: Callable[[aiohttp.ClientResponse], Awaitable[object]] = lambda response: response.read(),
    *,
    times: int = 1,
    **options: object,
) -> list[object]:
    """Outcomes of requests by a sender."""

    async def main() -> list[object]:
        listening = await asyncio.start_server(sender.serve, "127.0.0.1", 0)
        address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
        bounds = options.pop("bounds", Bounds())
        assert isinstance(bounds, Bounds)
        connector = CleanConnector(bounds=bounds)
        made: list[object] = []
        async with asyncio.timeout(PATIENCE_S):
            try:
                async with aiohttp.ClientSession(connector=connector, **options) as session:  # type: ignore[arg-type]
                    for _ in range(times):
                        async with session.get(address) as response:
                            made.append(await read(response))
            finally:
                listening.close()
                await sender.ended.wait()
        return made

    return asyncio.run(main())


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.req("X-235")
@pytest.mark.parametrize(
    ("sender", "bounds", "words"),
    [
        (Sender(OK, b"X-A: b\r\n"), Bounds(), "more headers than the 128 that are read"),
        (Sender(OK + b"X-A: ", b"b" * 100), Bounds(), "a header of more than 8190 bytes"),
        (Sender(b"HTTP/1.1 200 ", b"b" * 100), Bounds(), "a header of more than 8190 bytes"),
        (
            Sender(b"", b"HTTP/1.1 103 Early Hints\r\n" + b"X-A: %b\r\n" % (b"b" * 8_000) * 100 + b"\r\n"),
            Bounds(),
            f"more than {MOST_HEAD_BYTES} bytes of headers",
        ),
        (Sender(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), Bounds(), "more than 16 interim answers"),
        (Sender(OK + b"\r\n", b"x" * 100), Bounds(answer_bytes=100_000), "an answer of more than 100000 bytes"),
        (
            Sender(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1;" + b"e" * 100 + b"\r\nx\r\n"),
            Bounds(answer_bytes=100_000),
            "an answer of more than 100000 bytes",
        ),
    ],
    ids=[
        "headers",
        "a header",
        "a status line",
        "large interim answers",
        "interim answers",
        "a body",
        "a body that is mostly frames",
    ],
)
def test_what_has_no_end_is_ended_soon_with_words_that_name_the_rule(
    sender: Sender, bounds: Bounds, words: str
) -> None:
    with pytest.raises(BeyondBoundError, match=words):
        ask(sender, bounds=bounds)

    assert sender.sent < 16 << 20  # what a socket's buffers take, and no more


@pytest.mark.req("X-235")
def test_each_answer_of_a_kept_connection_has_the_bounds_anew() -> None:
    sender = Sender(b"HTTP/1.1 102 Processing\r\n\r\n" * 10 + OK + b"Content-Length: 600\r\n\r\n" + b"x" * 600)

    bodies = ask(sender, times=5, bounds=Bounds(answer_bytes=1_000))

    assert bodies == [b"x" * 600] * 5
    assert sender.accepted == 1


def test_an_error_behind_the_end_of_the_connection_is_still_that_of_the_bound() -> None:
    """The reader is busy when the bound is passed, and the connection has ended when it reads on."""

    async def read(response: aiohttp.ClientResponse) -> object:
        await response.content.readexactly(1)
        await asyncio.sleep(0.1)
        return await response.read()

    with pytest.raises(BeyondBoundError, match="more than 20000 bytes"):
        ask(Sender(OK + b"\r\n", b"x" * 100), read, bounds=Bounds(answer_bytes=20_000))


@pytest.mark.req("X-235")
@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:9/take\r\n", "answered 307 and leads to 127.0.0.1"),
        (b"HTTP/1.1 302 Moved\r\nLocation: /other\r\n", "answered 302 and leads to another path"),
        (OK + b"Content-Encoding: gzip\r\n", "a packed answer"),
    ],
    ids=["elsewhere", "on the same server", "packed"],
)
def test_a_session_with_a_key_takes_no_detour(head: bytes, words: str) -> None:
    with pytest.raises(BeyondBoundError, match=words):
        ask(Sender(head + b"Content-Length: 0\r\n\r\n"), middlewares=(refuse_detours,))


def test_an_answer_of_the_asked_server_is_taken() -> None:
    assert ask(
        Sender(OK + b"Content-Encoding: identity\r\nContent-Length: 1\r\n\r\nx"), middlewares=(refuse_detours,)
    ) == [b"x"]
    assert detour_in(304, None, None) == detour_in(200, "/elsewhere", " Identity ") == ""


def test_words_of_a_server_are_one_line_that_steers_nothing() -> None:
    assert shown_words(None) == ""
    assert shown_words("gone \x1b]0;owned\x07\r\n\tfor\x00 ever\u202e") == "gone for ever\\u202e"
    assert len(shown_words("x" * 10_000_000)) == 300


def test_a_host_that_a_server_names_is_shown_without_what_is_around_it() -> None:
    assert shown_host("https://user:key@Elsewhere.example:8443/path?key=1") == "elsewhere.example"
    assert shown_host("/v2") == "another path"
    assert shown_host("http://[") == shown_host("http://a\x07b/") == "an address that cannot be read"


def test_the_words_of_a_bound_are_found_behind_the_errors_of_libraries() -> None:
    def wrap_error() -> Exception:
        try:
            try:
                raise BeyondBoundError("the server sent more than 7 bytes")
            except BeyondBoundError as error:
                raise RuntimeError("library") from error
        except RuntimeError as error:
            return error

    assert refusal_in(wrap_error(), "the search engine") == "the search engine sent more than 7 bytes"
    assert refusal_in(RuntimeError("library"), "it") == ""
