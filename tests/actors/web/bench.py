"""A WebActor on a system of real threads, before a loopback site."""

from __future__ import annotations

import itertools
from typing import Any

from actors.kernel import ActorSpec, ActorSystem
from actors.web.actor import WebActor
from actors.web.config import WebConfig
from messages.base import Address, Message, RequestId, Surface, Window
from messages.socket import Refused
from messages.web import PageRead, ReadPage, SearchWeb, WebFound
from tests.actors.web.site import KEY, Site
from tests.patience import PATIENCE_S

WEB = Address("web")


def window(number: int = 0) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(100_000_000_000_000_000 + number))


class Bench:
    """Asks a WebActor and collects what it says; only `site` may be read although it is on loopback."""

    def __init__(self, site: Site, *, api_key: str = KEY, **settings: object) -> None:
        self.site = site
        given = {
            "api_key": api_key,
            "api_base": site.api_base,
            "also_open": frozenset({("127.0.0.1", site.port)}),
            **settings,
        }
        config = WebConfig(**given)  # type: ignore[arg-type]
        self.system = ActorSystem(workers=2)
        self.system.register(ActorSpec("web", lambda _key: WebActor(config)))
        self.system.start()
        self.edge = self.system.edge("test")
        self._ids = (RequestId(f"r{number}") for number in itertools.count(1))

    def ask_search(self, query: str, *, of: Window | None = None, **options: Any) -> RequestId:
        request_id = next(self._ids)
        self.system.tell(
            WEB,
            SearchWeb(
                request_id=request_id,
                reply_to=self.edge.address,
                window=of or window(),
                query=query,
                **options,
            ),
        )
        return request_id

    def ask_page(self, url: str, *, of: Window | None = None) -> RequestId:
        request_id = next(self._ids)
        url = f"{self.site.base}{url}" if url.startswith("/") else url
        self.system.tell(
            WEB, ReadPage(request_id=request_id, reply_to=self.edge.address, window=of or window(), url=url)
        )
        return request_id

    def answer(self, request_id: RequestId) -> Message:
        return self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)

    def search(self, query: str = "owls", **options: Any) -> WebFound:
        found = self.answer(self.ask_search(query, **options))
        assert isinstance(found, WebFound), found
        return found

    def search_refusal(self, query: str = "owls", **options: Any) -> str:
        refused = self.answer(self.ask_search(query, **options))
        assert isinstance(refused, Refused), refused
        return refused.reason

    def page(self, url: str) -> PageRead:
        page = self.answer(self.ask_page(url))
        assert isinstance(page, PageRead), page
        return page

    def page_refusal(self, url: str) -> str:
        refused = self.answer(self.ask_page(url))
        assert isinstance(refused, Refused), refused
        return refused.reason
