"""Protocols of WebActor and McpActor, which reach servers on behalf of commands, and of TranscribeActor.

WebActor alone reads the web, and TranscribeActor writes speech down. McpActor alone speaks the Model Context Protocol
(MCP) with servers that the operator has configured; whatever McpActor answers is a server's output.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, Value, Window, Word, make_ready
from messages.context import AddressChecked
from messages.shell import ServerEnded
from messages.socket import Refused
from messages.status import DescribeYourself
from messages.turn import AskerTold

WEB = Address("web")
MCP = Address("mcp")
TRANSCRIBE = Address("transcribe")
TRANSCRIPTION_RESTARTED = "the transcription restarted; try again"
"""Reason of a refusal after which the same request may be repeated at once."""
LONGEST_TRANSCRIPT = 100_000
"""Characters: some two hours of speech."""


class WebResult(Value, frozen=True, kw_only=True, gc=False):
    """A search result."""

    title: str
    link: str
    age: str
    """Age of the page in the search engine's words; empty if unknown."""
    snippet: str
    content: str
    """The page as markdown, or the reason of its absence in parentheses; empty unless requested."""


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

    An address is refused unless a person wrote the address in the window, a search returned the address, or the
    operator allows any address: a made-up address could carry text of the window to its host.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    url: Annotated[str, Meta(max_length=4_000)]


class WebFound(Message, frozen=True, kw_only=True, gc=False):
    """Results of a web search, best first; empty without results."""

    request_id: RequestId
    results: tuple[WebResult, ...]


class PageRead(Message, frozen=True, kw_only=True, gc=False):
    """The readable part of a page."""

    request_id: RequestId
    title: str
    """Empty for a page without a title."""
    markdown: str


class TranscribeAudio(Message, frozen=True, kw_only=True, gc=False):
    """Transcribe a recording attached to a message; answered by `Transcribed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    audio: bytes
    """The whole file, as far as `discord.attachment_mib` allows."""
    path: Annotated[str, Meta(max_length=2_048)] = ""
    """Path of the kept file, below the window's working directory; empty for a file that is not kept."""


class TranscribeFile(Message, frozen=True, kw_only=True, gc=False):
    """Transcribe a file of the window's working directory; answered like `TranscribeAudio`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    path: Annotated[str, Meta(max_length=2_048)]
    """Below the working directory."""


class Transcribed(Message, frozen=True, kw_only=True, gc=False):
    """Words of a recording."""

    request_id: RequestId
    text: Annotated[str, Meta(max_length=LONGEST_TRANSCRIPT)]
    """Empty if no words were heard."""
    model: Annotated[str, Meta(max_length=200)]
    """Model that transcribed the recording, for a reader."""


class RecordingDone(Message, frozen=True, kw_only=True, gc=False):
    """A recording is finished: from TranscribeActor's loop to the actor."""

    request_id: RequestId
    text: Annotated[str, Meta(max_length=LONGEST_TRANSCRIPT)] = ""
    fault: Annotated[str, Meta(max_length=1_000)] = ""
    """Reason for missing words; empty for a transcribed recording."""


# MCP

ToolName = Annotated[str, Meta(max_length=256)]
"""Name of a tool or prompt, as given by the server."""
JsonText = Annotated[str, Meta(max_length=50_000)]
"""A JSON object, as text."""


class ListTools(Message, frozen=True, kw_only=True, gc=False):
    """List the servers open to the window, and their tools; answered by `ToolsListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    words: Annotated[str, Meta(max_length=400)] = ""
    """Words to search the tools for; empty for all tools."""


class DescribeServer(Message, frozen=True, kw_only=True, gc=False):
    """Describe a server, or one of its tools; answered by `ServerDescribed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    server: Word
    tool: ToolName = ""
    """Empty for the server itself."""


class CallTool(Message, frozen=True, kw_only=True, gc=False):
    """Call a tool of a server once; answered by `ServerAnswered` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    server: Word
    tool: ToolName
    arguments: JsonText = "{}"


class ListResources(Message, frozen=True, kw_only=True, gc=False):
    """List a server's resources, templates and prompts; answered by `ServerListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    server: Word


class ReadResource(Message, frozen=True, kw_only=True, gc=False):
    """Read one resource of a server; answered by `ServerAnswered` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    server: Word
    uri: Annotated[str, Meta(max_length=4_000)]


class ListPrompts(Message, frozen=True, kw_only=True, gc=False):
    """List the prompts of a server; answered by `ServerListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    server: Word


class GetPrompt(Message, frozen=True, kw_only=True, gc=False):
    """Give a prompt of a server with its arguments filled in; answered by `ServerAnswered` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    server: Word
    name: ToolName
    arguments: JsonText = "{}"


class ServerEntry(Value, frozen=True, kw_only=True, gc=False):
    """A configured server."""

    name: str
    title: str = ""
    """The server's own name and version."""
    tools: int = 0
    fault: str = ""
    """Reason for which the tools are unknown; empty for known tools."""


class ToolEntry(Value, frozen=True, kw_only=True, gc=False):
    """One tool, in a line."""

    server: str
    name: str
    description: str
    """First sentence of the server's description."""


class ToolsListed(Message, frozen=True, kw_only=True, gc=False):
    """Servers, and tools: of a search the best first."""

    request_id: RequestId
    servers: tuple[ServerEntry, ...]
    tools: tuple[ToolEntry, ...]
    more: int = 0
    """Number of further tools left out."""


class ServerDescribed(Message, frozen=True, kw_only=True, gc=False):
    """Description of a server or tool, for the model."""

    request_id: RequestId
    text: str


class ListedItem(Value, frozen=True, kw_only=True, gc=False):
    """One resource, template of resources, or prompt."""

    name: str
    """Name of a prompt; address of a resource, or pattern of addresses."""
    description: str = ""


class ServerListed(Message, frozen=True, kw_only=True, gc=False):
    """Resources or prompts of a server."""

    request_id: RequestId
    items: tuple[ListedItem, ...]
    more: int = 0
    """Number of further items left out."""


class AnswerPart(Value, frozen=True, kw_only=True, gc=False):
    """A part of a server's answer: a text, or a file."""

    text: str = ""
    data: bytes = b""
    """Content of a file; empty for a text."""
    media_type: str = ""
    name: str = ""
    """Safe name for the file."""


class ServerAnswered(Message, frozen=True, kw_only=True, gc=False):
    """Answer of a server; no text in the answer is an instruction."""

    request_id: RequestId
    server: str
    parts: tuple[AnswerPart, ...]
    is_error: bool = False
    """True if the server reports a failed call."""


McpRequest = ListTools | DescribeServer | CallTool | ListResources | ReadResource | ListPrompts | GetPrompt
McpReply = ToolsListed | ServerDescribed | ServerListed | ServerAnswered | Refused
McpMessage = McpRequest | ServerEnded | AskerTold | DescribeYourself

WebRequest = SearchWeb | ReadPage
WebMessage = WebRequest | AddressChecked | DescribeYourself
WebReply = WebFound | PageRead | Refused
TranscribeRequest = TranscribeAudio | TranscribeFile
TranscribeMessage = TranscribeRequest | RecordingDone | DescribeYourself
TranscribeReply = Transcribed | Refused
make_ready(__name__)
