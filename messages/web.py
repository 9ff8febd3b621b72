"""Protocol of WebActor, which reads the web on behalf of commands, and of TranscribeActor, which writes speech down."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, Value, Window, Word, make_ready
from messages.context import AddressChecked
from messages.socket import Refused
from messages.status import DescribeYourself

WEB = Address("web")
TRANSCRIBE = Address("transcribe")
TRANSCRIPTION_RESTARTED = "the transcription restarted; try again"
"""Reason of a refusal after which the same request may be made again at once."""
LONGEST_TRANSCRIPT = 100_000
"""Characters: some two hours of speech."""


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


class TranscribeAudio(Message, frozen=True, kw_only=True, gc=False):
    """Write down what is said in a recording that came with a message; answered by `Transcribed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    audio: bytes
    """The whole file, as far as `discord.attachment_mib` allows."""
    path: Annotated[str, Meta(max_length=2_048)] = ""
    """Path of the kept file, below the window's working directory; empty if it is not kept."""


class TranscribeFile(Message, frozen=True, kw_only=True, gc=False):
    """Write down what is said in a file of the window's working directory; answered like `TranscribeAudio`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    path: Annotated[str, Meta(max_length=2_048)]
    """Below the working directory."""


class Transcribed(Message, frozen=True, kw_only=True, gc=False):
    """Words that were heard in a recording."""

    request_id: RequestId
    text: Annotated[str, Meta(max_length=LONGEST_TRANSCRIPT)]
    """Empty if no words were heard."""
    model: Annotated[str, Meta(max_length=200)]
    """Model that wrote them down, for a reader."""


class RecordingDone(Message, frozen=True, kw_only=True, gc=False):
    """One recording is done with: from TranscribeActor's loop to itself."""

    request_id: RequestId
    text: Annotated[str, Meta(max_length=LONGEST_TRANSCRIPT)] = ""
    fault: Annotated[str, Meta(max_length=1_000)] = ""
    """Why there are no words; empty if it was listened to."""


WebRequest = SearchWeb | ReadPage
WebMessage = WebRequest | AddressChecked | DescribeYourself
WebReply = WebFound | PageRead | Refused
TranscribeRequest = TranscribeAudio | TranscribeFile
TranscribeMessage = TranscribeRequest | RecordingDone | DescribeYourself
TranscribeReply = Transcribed | Refused
make_ready(__name__)
