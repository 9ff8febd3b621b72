"""WebActor: web search and single pages, for commands without network."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import NamedTuple

from yarl import URL

from actors.kernel import Actor, LoopThread, Then, not_understood
from actors.part.approvals import Act, Approvals
from actors.web.brave import NO_KEY, BraveSearch, Hit, fault_of
from actors.web.config import WebConfig
from actors.web.errors import WebError
from actors.web.page import PAGES_AT_ONCE, PAGES_OF_REQUEST, NothingToReadError, PageReader, PageStatusError
from actors.web.permission import READ_OFF, Permission
from domain.policy.fair_queue import FairQueue
from messages.base import Message, RequestId
from messages.context import AddressChecked
from messages.shell import SHELL, ApprovalGranted, ApprovalKind, ApprovalRefused, ApprovalReply, HoldCommands
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.web import (
    PageRead,
    ReadPage,
    SearchWeb,
    WebFound,
    WebMessage,
    WebReply,
    WebRequest,
    WebResult,
)

REQUESTS_AT_ONCE = PAGES_AT_ONCE // PAGES_OF_REQUEST
MOST_OF_WINDOW = 16
"""Waiting at a time; a control socket lets fewer through."""
REQUEST_S = 55.0
"""Most seconds for a whole request, so the answer comes before the requester at the socket gives up."""
RESULT_CHARACTERS = 5_000
CLOSE_S = 2.0


class _Serving(NamedTuple):
    """Request in service on the loop."""

    since_s: float
    task: Future[WebReply]


class WebActor(Actor):
    """Queue before the web: searches and pages, one per window and a few in all; further requests wait in order.

    While requests wait, no request is served for longer than a few seconds: deliberately slow pages cannot keep other
    requests out.

    Owns: the connections to the search engine and to pages, and the engine's key, which stays secret.
    Asks: windows, to learn if a person wrote an address there.
    Crashes on: a loop thread that cannot be started, and its own faults; never on acts of a server or a page. Requests
    from before a crash or a stop are refused, since the requester waits.
    """

    def __init__(self, config: WebConfig) -> None:
        """Open no connection yet.

        Args:
            config: The engine's key and address, and the time limits of pages.
        """
        super().__init__()
        self._config = config
        self._queue: FairQueue[WebRequest] = FairQueue(REQUESTS_AT_ONCE)
        self._approvals: Approvals[WebRequest] = Approvals(
            self,
            _act_of,
            enter=self._enter,
            refuse=lambda request, refused: self._turn_down(request, refused.reason),
            on_change=self._hold_commands,
        )
        allow = self._approvals.add if config.asks_first else self._enter
        self._permission = Permission(self, config, allow=allow, refuse=self._turn_down)
        self._served: dict[RequestId, _Serving] = {}
        """The longest served first."""
        self._slot_wait: RequestId | None = None
        self._loop = LoopThread("web", self)
        self._pages: PageReader | None = None
        self._engine: BraveSearch | None = None

    def on_start(self) -> None:
        """Start the loop; connections are made when needed."""
        self._loop.start()

    def handle(self, message: WebMessage | WebReply | ApprovalReply) -> None:
        """Take a request, or pass on an answer and let the next request start."""
        match message:
            case SearchWeb() | ReadPage():
                self._take(message)
            case AddressChecked() | ApprovalGranted() | ApprovalRefused():
                pass  # An answer behind its deadline.
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message.request_id))
            case WebFound(request_id=request_id) | PageRead(request_id=request_id) | Refused(request_id=request_id):
                self._end(request_id, message)
                self._admit()
            case _:
                not_understood(message)
        self.in_progress = self._is_busy

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Go on with a window's answer, a person's, or the end of a slot."""
        then(answer)
        self.in_progress = self._is_busy

    def on_stop(self) -> None:
        """End every request and reply to waiting requesters."""
        for request in (*self._permission.clear(), *self._approvals.clear(), *self._queue.clear()):
            self.tell(request.reply_to, _refusal(request.request_id, "The web service restarted; try again."))
        with self.blocking():
            self._loop.end(self._close(), CLOSE_S, "connections to the web were not closed")

    def _take(self, request: WebRequest) -> None:
        if any(request.request_id in place for place in (self._queue, self._permission, self._approvals)):
            return
        if fault := self._fault_of(request):
            self._turn_down(request, fault)
        else:
            self._permission.judge(request)

    def _hold_commands(self, request: WebRequest, waits: bool) -> None:
        """Let the clocks of the window's commands stand still while a request waits for a person."""
        self.tell(SHELL, HoldCommands(window=request.window, holds=waits))

    @property
    def _is_busy(self) -> bool:
        return bool(self._queue) or bool(self._permission) or bool(self._approvals)

    def _enter(self, request: WebRequest) -> None:
        self._queue.enter(request)
        self._admit()

    def _turn_down(self, request: WebRequest, reason: str) -> None:
        self.tell(request.reply_to, _refusal(request.request_id, reason))

    def _fault_of(self, request: WebRequest) -> str:
        places = (self._queue, self._permission, self._approvals)
        waiting = sum(place.waiting_of(request.window) for place in places)
        if waiting >= MOST_OF_WINDOW:
            return f"{MOST_OF_WINDOW} requests of this window are waiting for the web already; try again later."
        if isinstance(request, ReadPage):
            return ""
        return fault_of(request) or ("" if self._config.api_key else NO_KEY)

    def _admit(self) -> None:
        """Start all requests that may start now."""
        while (request := self._queue.admit()) is not None or self._give_way():
            if request is not None:
                self._begin(request)

    def _give_way(self) -> bool:
        """End the request served for longest, if other requests wait and its time is up; True if ended."""
        if not self._queue.is_awaited():
            return False
        request_id, serving = next(iter(self._served.items()))
        left_s = serving.since_s + self._config.slot_s - self.monotonic()
        if left_s > 0:
            self._slot_wait = self._slot_wait or self.wait(left_s, self._end_slot)
            return False
        serving.task.cancel()
        reason = f"not done within {self._config.slot_s:g} seconds, and others are waiting for the web"
        self._end(request_id, _refusal(request_id, reason))
        return True

    def _end_slot(self) -> None:
        self._slot_wait = None
        self._admit()

    def _end(self, request_id: RequestId, answer: WebReply) -> None:
        self._served.pop(request_id, None)
        if (request := self._queue.leave(request_id)) is not None:
            if isinstance(answer, WebFound):
                self._permission.note_results(request.window, [result.link for result in answer.results])
            self.tell(request.reply_to, answer)

    def _begin(self, request: WebRequest) -> None:
        """Have exactly one answer sent to this actor, unless it stops before."""
        failure = _refusal(request.request_id, "The request failed inside the web service.")
        task = self._loop.submit_answer(self._serve(request), failure)
        self._served[request.request_id] = _Serving(self.monotonic(), task)

    async def _serve(self, request: WebRequest) -> WebReply:
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
        contents = [f"({READ_OFF})" if request.content else ""] * len(hits)
        if request.content and self._config.read != "off":
            pages = asyncio.Semaphore(PAGES_OF_REQUEST)
            contents = await asyncio.gather(*(self._content(hit, pages) for hit in hits))
        results = tuple(
            WebResult(title=hit.title, link=hit.link, age=hit.age, snippet=hit.snippet, content=content)
            for hit, content in zip(hits, contents, strict=True)
        )
        return WebFound(request_id=request.request_id, results=results)

    async def _content(self, hit: Hit, pages: asyncio.Semaphore) -> str:
        """Page of a result, or in parentheses the reason for a missing page: one bad page spoils no search."""
        try:
            async with pages:
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

    def _description(self, request_id: RequestId) -> SelfDescription:
        figures = (
            ("read", self._config.read),
            ("waiting", len(self._queue) + len(self._permission) + len(self._approvals)),
            ("sent_bytes", self._permission.sent_bytes),
            ("received_bytes", self._pages.received_bytes if self._pages is not None else 0),
        )
        return SelfDescription(request_id=request_id, about=self.address.kind, figures=figures)

    def _reader(self) -> PageReader:
        if self._pages is None:
            self._pages = PageReader(also_open=self._config.also_open, monotonic=self.monotonic)
        return self._pages

    async def _close(self) -> None:
        for client in (self._pages, self._engine):
            if client is not None:
                await client.close()


def _act_of(request: WebRequest) -> Act:
    if isinstance(request, SearchWeb):
        return ApprovalKind.SEARCH, request.query, False
    return ApprovalKind.PAGE, request.url, False


def _refusal(request_id: RequestId, reason: str) -> Refused:
    return Refused(request_id=request_id, reason=reason)
