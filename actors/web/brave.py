"""Client of the Brave Search API."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar
from yarl import URL

from actors.http_client.bounded_answers import Bounds, shown_words
from actors.http_client.clean_connector import CleanConnector
from actors.web.errors import WebError
from actors.web.page import bounded_body
from domain.text.terminal_text import plain
from messages.base import make_ready
from messages.web import SearchWeb

API_BASE = "https://api.search.brave.com/res/v1"
MAX_RESULTS = 20
MAX_QUERY_CHARACTERS = 400
MAX_ANSWER_BYTES = 2 * 1024 * 1024
TIMEOUT_S = 15.0
NO_KEY = "BRAVE_API_KEY environment variable is required."
_COUNTRY = re.compile(r"[A-Za-z]{2}|ALL")
_FRESHNESS = re.compile(r"(p[dwmy]|\d{4}-\d\d-\d\dto\d{4}-\d\d-\d\d)?")


@dataclass(frozen=True, slots=True)
class Hit:
    """Result from the engine, each field on a single line."""

    title: str
    link: str
    age: str
    snippet: str


class _Result(msgspec.Struct):
    title: str | None = None
    url: str | None = None
    description: str | None = None
    age: str | None = None
    page_age: str | None = None


class _Web(msgspec.Struct):
    results: list[_Result] | None = None


class _Answer(msgspec.Struct):
    web: _Web | None = None


def fault_of(search: SearchWeb) -> str:
    """Reason not to ask the engine; empty if the search is valid."""
    if not search.query.strip():
        return "The query is empty."
    if len(search.query) > MAX_QUERY_CHARACTERS:
        return f"The query has {len(search.query)} characters: at most {MAX_QUERY_CHARACTERS} are accepted."
    if not 1 <= search.count <= MAX_RESULTS:
        return f"count {search.count}: 1 to {MAX_RESULTS} is required."
    if not _COUNTRY.fullmatch(search.country):
        return f"country {search.country[:40]!r}: two letters or ALL are required."
    if not _FRESHNESS.fullmatch(search.freshness):
        return f"freshness {search.freshness[:40]!r}: pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD is required."
    return ""


def parse_api_base(text: str) -> URL:
    """The place of the API, to which the key is sent.

    Raises:
        ValueError: the key would go over an open network.
    """
    url = URL(text)
    if url.scheme != "https" and not (url.scheme == "http" and url.host in ("127.0.0.1", "localhost", "::1")):
        raise ValueError(f"api_base {text!r} must begin with https://, or with http:// and be on this machine")
    return url


class BraveSearch:
    """Client of the search engine; all methods are for the client's own event loop."""

    def __init__(self, *, api_key: str, api_base: URL) -> None:
        self._key = api_key
        self._url = api_base / "web" / "search"
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip", "X-Subscription-Token": api_key}
        self._session = ClientSession(
            connector=CleanConnector(bounds=Bounds(answer_bytes=2 * MAX_ANSWER_BYTES)),
            headers=headers,
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=TIMEOUT_S),
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()

    async def find(self, search: SearchWeb) -> tuple[Hit, ...]:
        """Results of the engine, best first.

        Raises:
            WebError: no usable answer came.
        """
        query = {"q": search.query, "count": str(search.count), "country": search.country.upper()}
        if search.freshness:
            query["freshness"] = search.freshness
        try:
            # A redirect would carry the key elsewhere, so it counts as a failure.
            async with self._session.get(self._url, params=query, allow_redirects=False) as response:
                body = await bounded_body(response, MAX_ANSWER_BYTES)
        except TimeoutError:
            raise WebError(f"the search engine did not answer within {TIMEOUT_S:g} seconds") from None
        except ClientError as error:
            words = shown_words(self._without_key(str(error)))
            raise WebError(f"the search engine cannot be reached: {words}") from error
        if response.status != 200:
            reason, text = (
                shown_words(self._without_key(plain(raw)))
                for raw in (response.reason or "", body.decode("utf-8", "replace"))
            )
            raise WebError(f"HTTP {response.status}: {reason}\n{text}".rstrip())
        return _hits(body)[: search.count]

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "…")


def _hits(body: bytes) -> tuple[Hit, ...]:
    try:
        answer = msgspec.json.decode(body, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WebError(f"the search engine's answer is not what it should be: {error}") from error
    results = (answer.web.results if answer.web else None) or []
    return tuple(
        Hit(
            title=_on_one_line(result.title),
            link=_on_one_line(result.url),
            age=_on_one_line(result.age or result.page_age),
            snippet=_on_one_line(result.description),
        )
        for result in results
    )


def _on_one_line(text: str | None) -> str:
    return " ".join((text or "").split())


make_ready(__name__)
