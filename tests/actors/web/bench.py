"""A WebActor on a system of real threads, before a loopback site."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec

from actors.context.actor import ContextActor
from actors.context.config import ContextConfig
from actors.context.log.journal import Journal
from actors.kernel import ActorSpec, ActorSystem
from actors.web.actor import WebActor
from actors.web.config import WebConfig
from messages.base import CONTEXT_KIND, Address, Message, MessageId, RequestId, Surface, Window
from messages.context import Quote
from messages.socket import Refused
from messages.web import PageRead, ReadPage, SearchWeb, WebFound
from tests.actors.context.rig import user_message
from tests.actors.web.site import KEY, Site
from tests.patience import PATIENCE_S

WEB = Address("web")


def window(number: int = 0) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(100_000_000_000_000_000 + number))


class Bench:
    """Asks a WebActor and collects what it says; only `site` may be read although it is on loopback."""

    def __init__(self, site: Site, *, api_key: str = KEY, windows_root: Path | None = None, **settings: object) -> None:
        """A bench; any address may be read unless `settings` say otherwise.

        Args:
            windows_root: Where real windows keep their logs; None for no windows.
        """
        self.site = site
        given = {
            "api_key": api_key,
            "api_base": site.api_base,
            "also_open": frozenset({("127.0.0.1", site.port)}),
            "read": "any",
            "out_bytes_per_hour": 1 << 30,
            **settings,
        }
        config = WebConfig(**given)  # type: ignore[arg-type]
        self.system = ActorSystem(workers=2)
        self.system.register(ActorSpec("web", lambda _key: WebActor(config)))
        self.edge = self.system.edge("test")
        if windows_root is not None:
            self.system.register(_windows(windows_root, self.edge.address))
        self.system.start()
        self._numbers = itertools.count(1)
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

    def hear(self, text: str, *, of: Window | None = None, quote: Quote | None = None) -> MessageId:
        """Let a person say something in a window; what Discord calls it."""
        place = of or window()
        said = user_message(text, next(self._numbers), place, "Alice", self.edge.address)
        self.system.tell(place.address, msgspec.structs.replace(said, wants_answer=False, quote=quote))
        return said.message_id


def _windows(root: Path, edge: Address) -> ActorSpec:
    config = ContextConfig(
        model=edge,
        shell=edge,
        surface=edge,
        workdir=lambda window: f"/work/{window.id}",
        attachments=lambda window: f"/attachments/{window.id}",
        contributors=(),
        subscribers=(),
    )

    def build(key: str) -> ContextActor:
        place = Window.from_key(key)
        return ContextActor(place, Journal(root, place, config.max_history_tokens), config)

    return ActorSpec(CONTEXT_KIND, build)
