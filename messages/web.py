"""Protocol of WebActor, the only one that reads the web on behalf of a command."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, Value, Window, Word, make_ready
from messages.context import AddressChecked
from messages.socket import Refused
from messages.status import DescribeYourself

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
    query: Annotated[str, Meta(max_length=400)]
    count: Annotated[int, Meta(ge=1, le=20)] = 5
    """Most results wanted, 1 to 20."""
    country: Word = "US"
    """Two letters, or `ALL`."""
    freshness: Word = ""
    """`pd`, `pw`, `pm`, `py` or `YYYY-MM-DDtoYYYY-MM-DD`; empty for any time."""
    content: bool = False
    """True if each result's page is read too."""


class ReadPage(Message, frozen=True, kw_only=True, gc=False):
    """Read one public page; answered by `PageRead` or `Refused`.

    Refused is also an address that no person wrote in the window and no search returned, unless the operator allows
    any: a made-up address could carry text of the window to its host.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    url: Annotated[str, Meta(max_length=4_000)]


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


WebRequest = SearchWeb | ReadPage
WebMessage = WebRequest | AddressChecked | DescribeYourself
WebReply = WebFound | PageRead | Refused
make_ready(__name__)
