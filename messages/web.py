"""Protocol of WebActor, the only one that reads the web on behalf of a command."""

from __future__ import annotations

from messages.base import Address, Message, RequestId, Value, Window
from messages.socket import Refused

WEB = Address("web")


class WebResult(Value, frozen=True, kw_only=True, gc=False):
    """One hit of a search."""

    title: str
    link: str
    age: str
    """As the search engine words it; empty if it does not know."""
    snippet: str
    content: str
    """The page as markdown, or in parentheses why there is none; empty unless it was asked for."""


class SearchWeb(Message, frozen=True, kw_only=True, gc=False):
    """Search the web; answered by `WebFound` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    query: str
    count: int = 5
    """Most results wanted, 1 to 20."""
    country: str = "US"
    """Two letters, or `ALL`."""
    freshness: str = ""
    """`pd`, `pw`, `pm`, `py` or `YYYY-MM-DDtoYYYY-MM-DD`; empty for any time."""
    content: bool = False
    """Whether each result's page is read too."""


class ReadPage(Message, frozen=True, kw_only=True, gc=False):
    """Read one public page; answered by `PageRead` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    url: str


class WebFound(Message, frozen=True, kw_only=True, gc=False):
    """Results of a web search, best first; nothing if there is nothing."""

    request_id: RequestId
    results: tuple[WebResult, ...]


class PageRead(Message, frozen=True, kw_only=True, gc=False):
    """The readable part of a page."""

    request_id: RequestId
    title: str
    """Empty if the page has none."""
    markdown: str


WebMessage = SearchWeb | ReadPage
WebReply = WebFound | PageRead | Refused
