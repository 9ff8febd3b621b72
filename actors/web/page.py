"""HTTP client for public pages, with bounds on place, time, size and kind."""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientSession,
    DummyCookieJar,
    InvalidURL,
    TCPConnector,
)
from yarl import URL

from actors.http_client.bounded_answers import shown_words
from actors.http_client.public_addresses import ForbiddenAddressError, HostPort, PublicAddresses, TooMuchReceivedError
from actors.web.address import page_url
from actors.web.errors import WebError
from actors.web.names import Names

if TYPE_CHECKING:
    from actors.web.article import Article

MAX_PAGE_BYTES = 2 * 1024 * 1024
"""Limit after decompression."""
MAX_REDIRECTS = 5
PAGES_OF_REQUEST = 3
"""Pages read at a time for a search."""
PAGES_AT_ONCE = 36
"""Pages read at a time for all requests: enough to keep no request waiting for another's slow pages."""
HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; Remembrancer/0.1)",
    "Accept": "text/html,text/plain;q=0.9",
    "Accept-Language": "en-US,en;q=0.9",
    "Accept-Encoding": "gzip, deflate",
}
_REDIRECTS = (301, 302, 303, 307, 308)
_TEXT_ENCODING = re.compile(
    r"ascii|utf-8(-sig)?|utf-16(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+"
    r"|shift_jis(_2004)?|euc_(jp|kr)|iso2022_\w+|gbk|gb2312|gb18030|big5(hkscs)?|hz|johab|ptcp154|tis-620"
)
"""Usual encodings: Python knows more, and some (punycode, for one) take minutes over a page."""
_SNIFFED_BYTES = 4_096


class PageStatusError(WebError):
    """Status of a server other than 200."""

    def __init__(self, status: int, reason: str) -> None:
        words = shown_words(reason)
        super().__init__(f"HTTP {status}: {words}" if words else f"HTTP {status}")
        self.status = status


class NothingToReadError(WebError):
    """Page without readable content."""

    def __init__(self) -> None:
        super().__init__("Could not extract content")


@dataclass(frozen=True, slots=True)
class Page:
    """Response of a server."""

    url: str
    """Final URL, after redirects."""
    kind: str
    body: bytes
    charset: str | None


class PageReader:
    """HTTP client of pages; all methods are for the client's own event loop."""

    def __init__(self, *, also_open: frozenset[HostPort], monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._addresses = PublicAddresses(also_open)
        # No cookies, no proxy of the environment, no connection kept: nothing of one page's visit is left for another.
        self._session = ClientSession(
            connector=TCPConnector(
                resolver=Names(),
                socket_factory=self._addresses,
                force_close=True,
                use_dns_cache=False,
                limit=PAGES_AT_ONCE,
            ),
            cookie_jar=DummyCookieJar(),
            headers=HEADERS,
        )
        self._slots = asyncio.Semaphore(PAGES_AT_ONCE)
        self._extracting = asyncio.Semaphore(1)
        """Lock for a single extraction at a time, since other threads need the interpreter too."""

    @property
    def received_bytes(self) -> int:
        """Bytes that servers sent, packed and framed as received."""
        return self._addresses.received_bytes

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()

    async def read(self, address: str, timeout_s: float) -> Article:
        """The article at `address`; it is fetched within `timeout_s` or not at all.

        Raises:
            WebError: the page cannot be read.
        """
        async with self._slots:
            try:
                async with asyncio.timeout(timeout_s):
                    page = await self._fetch(page_url(address))
            except TimeoutError:
                raise WebError(f"no answer within {timeout_s:g} seconds") from None
            except ClientError as error:
                raise WebError(_reason(error)) from error
        await self._extracting.acquire()
        extraction = asyncio.ensure_future(asyncio.to_thread(self._article, page))
        extraction.add_done_callback(self._end_extraction)
        return await asyncio.shield(extraction)

    def _end_extraction(self, extraction: asyncio.Task[Article]) -> None:
        """Let the next extraction begin: not earlier, even without a waiting request; a thread cannot be stopped."""
        self._extracting.release()
        if not extraction.cancelled():
            extraction.exception()  # a waiting caller gets it; without one it is dropped

    async def _fetch(self, url: URL) -> Page:
        for _ in range(MAX_REDIRECTS + 1):
            async with self._session.get(url, allow_redirects=False) as response:
                if response.status not in _REDIRECTS:
                    return await _page(response)
                url = page_url(str(url.join(_location(response))))
        raise WebError(f"more than {MAX_REDIRECTS} redirects")

    def _article(self, page: Page) -> Article:
        from actors.web.article import MAX_MARKDOWN_CHARACTERS, Article, NoArticleError, extract

        text = decode(page.body, page.charset)
        if page.kind == "text/plain":
            if not text.strip():
                raise NothingToReadError
            return Article("", text.strip()[:MAX_MARKDOWN_CHARACTERS])
        try:
            return extract(text, page.url, self._monotonic)
        except NoArticleError as error:
            raise NothingToReadError from error


def decode(body: bytes, charset: str | None) -> str:
    """`body` as text, by the server's word, else the page's own, else as UTF-8; what does not fit is replaced."""
    from bs4.dammit import EncodingDetector  # the parser takes 0.2 s of a start to import

    for name in (charset, EncodingDetector.find_declared_encoding(body[:_SNIFFED_BYTES], is_html=True)):
        if name is not None and is_text_encoding(name):
            return body.decode(name, "replace")
    return body.decode("utf-8", "replace")


def is_text_encoding(name: str) -> bool:
    """True if `name` is an encoding that pages use and Python reads in reasonable time."""
    try:
        return _TEXT_ENCODING.fullmatch(codecs.lookup(name).name) is not None
    except (LookupError, ValueError):
        return False


async def bounded_body(response: ClientResponse, limit_bytes: int) -> bytes:
    """Whole body.

    Raises:
        WebError: the body is larger; no more than a piece beyond the limit was unpacked.
    """
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > limit_bytes:
            raise WebError(f"the answer is larger than {limit_bytes} bytes, the most that is read")
    return bytes(body)


async def _page(response: ClientResponse) -> Page:
    if response.status != 200:
        raise PageStatusError(response.status, response.reason or "")
    kind = response.content_type if "Content-Type" in response.headers else ""
    if kind not in ("text/html", "text/plain"):
        raise WebError(f"content type {kind[:100]!r}: only text/html and text/plain are read")
    body = await bounded_body(response, MAX_PAGE_BYTES)
    return Page(str(response.url), kind, body, response.charset)


def _location(response: ClientResponse) -> URL:
    try:
        return URL(response.headers["Location"])
    except (KeyError, ValueError) as error:
        raise WebError(f"HTTP {response.status} without a usable Location") from error


def _reason(error: ClientError) -> str:
    """Reason of a failed connection, without the internals of the library."""
    if isinstance(error, ClientConnectorError):
        cause = error.os_error
        if isinstance(cause, ForbiddenAddressError):
            return str(cause)
        return f"cannot connect to {error.host}: {cause.strerror or cause}"
    if isinstance(error, InvalidURL):
        return f"{str(error.url)[:200]!r} is not an address: {error.description or 'malformed'}"
    if isinstance(error.__cause__, TooMuchReceivedError):
        return str(error.__cause__)
    return f"the connection failed: {shown_words(str(error)) or type(error).__name__}"
