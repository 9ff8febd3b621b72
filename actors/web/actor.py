"""WebActor: web search and single pages, for commands that have no network."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import CancelledError, Future

from yarl import URL

from actors.kernel import Actor, LoopThread, not_understood
from actors.web.brave import NO_KEY, BraveSearch, Hit, fault_of
from actors.web.config import WebConfig
from actors.web.errors import WebError
from actors.web.page import NothingToReadError, PageReader, PageStatusError
from domain.policy.fair_queue import FairQueue
from messages.base import RequestId
from messages.socket import Refused
from messages.web import PageRead, ReadPage, SearchWeb, WebFound, WebMessage, WebReply, WebResult

log = logging.getLogger(__name__)

REQUESTS_AT_ONCE = 8
MOST_WAITING = 256
REQUEST_S = 55.0
"""For a whole request, so that its answer comes before the asker at the socket gives up."""
RESULT_CHARACTERS = 5_000
CLOSE_S = 2.0


class WebActor(Actor):
    """Queue before the web: searches and pages, one per window at a time and a few in all; the others wait in order.

    Owns: the connections to the search engine and to pages, and the engine's key, which nobody is told.
    Asks: nobody.
    Crashes on: a loop thread that cannot be started, and its own faults; nothing that a server or a page does. What
    was asked before a crash or a stop is refused, since its asker waits.
    """

    def __init__(self, config: WebConfig) -> None:
        """Nothing is opened yet.

        Args:
            config: The engine's key and address, and how long pages may take.
        """
        super().__init__()
        self._config = config
        self._queue: FairQueue[WebMessage] = FairQueue(REQUESTS_AT_ONCE)
        self._loop = LoopThread("web")
        self._pages: PageReader | None = None
        self._engine: BraveSearch | None = None

    def on_start(self) -> None:
        """Start the loop; connections are made when they are needed."""
        self._loop.start()

    def handle(self, message: WebMessage | WebReply) -> None:
        """Take a request, or pass on an answer and let the next request start."""
        match message:
            case SearchWeb() | ReadPage():
                self._take(message)
            case WebFound(request_id=request_id) | PageRead(request_id=request_id) | Refused(request_id=request_id):
                if (request := self._queue.leave(request_id)) is not None:
                    self.tell(request.reply_to, message)
                    self._admit()
            case _:
                not_understood(message)

    def on_stop(self) -> None:
        """End every request and say so to those who wait."""
        for request in self._queue.clear():
            self.tell(request.reply_to, _refusal(request.request_id, "The web service restarted; try again."))
        with self.blocking():
            try:
                self._loop.submit(self._close()).result(CLOSE_S)
            except (TimeoutError, CancelledError):
                log.warning("connections to the web were not closed")
            finally:
                self._loop.stop()

    def _take(self, request: WebMessage) -> None:
        if request.request_id in self._queue:
            return
        if fault := self._fault_of(request):
            self.tell(request.reply_to, _refusal(request.request_id, fault))
            return
        self._queue.enter(request)
        self._admit()

    def _fault_of(self, request: WebMessage) -> str:
        if len(self._queue.waiting()) >= MOST_WAITING:
            return f"{MOST_WAITING} requests are waiting for the web already; try again later."
        if isinstance(request, ReadPage):
            return ""
        return fault_of(request) or ("" if self._config.api_key else NO_KEY)

    def _admit(self) -> None:
        """Start what may start now."""
        while (request := self._queue.admit()) is not None:
            self._begin(request)
        self.in_progress = bool(self._queue)

    def _begin(self, request: WebMessage) -> None:
        """Have exactly one answer told to this actor, unless it stops before."""

        def tell(served: Future[WebReply]) -> None:
            if served.cancelled():
                return
            failed = served.exception() is not None  # the loop has logged it
            reason = "The request failed inside the web service."
            self.tell(self.address, _refusal(request.request_id, reason) if failed else served.result())

        self._loop.submit(self._serve(request)).add_done_callback(tell)

    async def _serve(self, request: WebMessage) -> WebReply:
        try:
            async with asyncio.timeout(REQUEST_S):
                return await (self._search(request) if isinstance(request, SearchWeb) else self._read(request))
        except WebError as error:
            return _refusal(request.request_id, str(error))
        except TimeoutError:
            return _refusal(request.request_id, f"not done within {REQUEST_S:g} seconds")

    async def _search(self, request: SearchWeb) -> WebFound:
        if self._engine is None:
            self._engine = BraveSearch(api_key=self._config.api_key, api_base=URL(self._config.api_base))
        hits = await self._engine.find(request)
        contents = [""] * len(hits)
        if request.content:
            contents = await asyncio.gather(*(self._content(hit) for hit in hits))
        results = tuple(
            WebResult(title=hit.title, link=hit.link, age=hit.age, snippet=hit.snippet, content=content)
            for hit, content in zip(hits, contents, strict=True)
        )
        return WebFound(request_id=request.request_id, results=results)

    async def _content(self, hit: Hit) -> str:
        """The page of a result, or in parentheses why there is none: one bad page spoils no search."""
        try:
            article = await self._reader().read(hit.link, self._config.result_page_s)
        except PageStatusError as error:
            return f"(HTTP {error.status})"
        except NothingToReadError as error:
            return f"({error})"
        except WebError as error:
            return f"(Error: {error})"
        return article.markdown[:RESULT_CHARACTERS]

    async def _read(self, request: ReadPage) -> PageRead:
        article = await self._reader().read(request.url, self._config.single_page_s)
        return PageRead(request_id=request.request_id, title=article.title, markdown=article.markdown)

    def _reader(self) -> PageReader:
        if self._pages is None:
            self._pages = PageReader(also_open=self._config.also_open, monotonic=self.monotonic)
        return self._pages

    async def _close(self) -> None:
        for client in (self._pages, self._engine):
            if client is not None:
                await client.close()


def _refusal(request_id: RequestId, reason: str) -> Refused:
    return Refused(request_id=request_id, reason=reason)
