"""Desk: the sessions of all servers, on the actor's loop, and the answer to each request."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from actors.http_client.late_import import LATE_IMPORT
from actors.kernel import Host
from actors.mcp.config import McpConfig, ServerConfig
from actors.mcp.errors import ServerError
from actors.mcp.session import Session
from domain.text.secret_scrub import Scrubber
from domain.turn.tools.arguments import fault_of_arguments
from domain.turn.tools.catalogue import Tool, describe_tool, nearest_names, search_tools
from messages.socket import Refused
from messages.web import (
    CallTool,
    DescribeServer,
    GetPrompt,
    ListedItem,
    ListPrompts,
    ListResources,
    ListTools,
    McpReply,
    McpRequest,
    ReadResource,
    ServerAnswered,
    ServerDescribed,
    ServerEntry,
    ServerListed,
    ToolEntry,
    ToolsListed,
)

if TYPE_CHECKING:
    from actors.mcp.answers import Answer
    from actors.mcp.connecting import Connector

log = logging.getLogger(__name__)

STARTS_AT_ONCE = 8
"""Servers started at a time for a list."""
LIST_S = 15.0
"""Longest wait for each server of a list; the server's start goes on."""
SILENT_S = 60.0
"""Time after a wait in vain during which lists leave out the server."""
SILENT = f"no answer within {LIST_S:g} s; describe it to wait longer"
MOST_FOUND = 40
MOST_LISTED = 300
MOST_ITEMS = 300
MOST_ANSWER_BYTES = 5 * 1024 * 1024


class Desk:
    """Sessions of all servers."""

    def __init__(self, host: Host, config: McpConfig, folder: Path) -> None:
        """No session yet.

        Args:
            host: The actor.
            config: The servers.
            folder: Folder of sockets.
        """
        self._host = host
        self._folder = folder
        self._connector: Connector | None = None
        self._sessions = {
            name: Session(server, self._connect, idle_s=config.idle_s, start_s=config.start_of(server))
            for name, server in config.servers.items()
        }
        self._servers = config.servers
        self._starts = asyncio.Semaphore(STARTS_AT_ONCE)
        self._scrub = Scrubber(config.secrets).scrub
        self._silent_until: dict[str, float] = {}
        """Server without an answer -> time of the loop until which lists do not wait for the server."""

    def states(self) -> tuple[tuple[str, str], ...]:
        """State of each server, for the operator; from any thread."""
        return tuple(
            (name, f"{'open' if session.is_open else 'closed'}, {session.lives} starts")
            for name, session in self._sessions.items()
        )

    async def close(self) -> None:
        """End all sessions."""
        await asyncio.gather(*(session.close() for session in self._sessions.values()))

    async def serve(self, request: McpRequest, usable: Collection[str]) -> McpReply:
        """Answer to a request.

        Args:
            request: Judged already.
            usable: Servers allowed for the window.
        """
        began = asyncio.get_running_loop().time()
        try:
            if isinstance(request, ListTools):
                reply: McpReply = await self._list(request, usable)
            else:
                reply = await self._serve(request, self._sessions[request.server])
        except ServerError as error:
            name = getattr(request, "server", "")
            reply = Refused(request_id=request.request_id, reason=f"server {name!r}: {error}")
        took_s = asyncio.get_running_loop().time() - began
        outcome = "refused" if isinstance(reply, Refused) else "answered"
        log.info("MCP: %s of %s %s in %.3f s", _wording(request), request.window.address.key, outcome, took_s)
        return scrub_value(reply, self._scrub)

    async def _serve(self, request: McpRequest, session: Session) -> McpReply:
        match request:
            case DescribeServer():
                return await self._describe(request, session)
            case CallTool():
                return await self._call(request, session)
            case ReadResource():
                return _wrap_answer(request, await session.run(lambda client: client.read_resource(request.uri)))
            case GetPrompt():
                arguments = {str(name): _text(value) for name, value in json.loads(request.arguments or "{}").items()}
                answer = await session.run(lambda client: client.get_prompt(request.name, arguments))
                return _wrap_answer(request, answer)
            case ListResources():
                return _wrap_items(request, await session.run(lambda client: client.list_resources()))
            case ListPrompts():
                return _wrap_items(request, await session.run(lambda client: client.list_prompts()))
            case ListTools():
                raise TypeError("a list is of all servers")

    async def _call(self, request: CallTool, session: Session) -> ServerAnswered:
        tool = _find_tool(request.tool, await session.tools())
        arguments: dict[str, Any] = json.loads(request.arguments or "{}")
        if fault := fault_of_arguments(tool.schema, arguments):
            raise ServerError(f"tool {tool.name!r}: {fault}")
        return _wrap_answer(request, await session.run(lambda client: client.call_tool(tool, arguments)))

    async def _describe(self, request: DescribeServer, session: Session) -> ServerDescribed:
        tools = await session.tools()
        if request.tool:
            text = describe_tool(_find_tool(request.tool, tools))
        else:
            lines = [f"{tool.name}: {tool.line}" for tool in tools[:MOST_LISTED]]
            more = [f"({len(tools) - MOST_LISTED} more tools)"] if len(tools) > MOST_LISTED else []
            head = f"{request.server} ({session.title})" if session.title else request.server
            text = "\n".join((head, *([session.instructions] if session.instructions else ()), "", *lines, *more))
        return ServerDescribed(request_id=request.request_id, text=text)

    async def _list(self, request: ListTools, usable: Collection[str]) -> ToolsListed:
        entries = await asyncio.gather(*(self._entry(name) for name in usable))
        tools = [tool for _, its_tools in entries for tool in its_tools]
        most = MOST_LISTED
        if request.words.strip():
            tools, most = search_tools(tools, request.words), MOST_FOUND
        return ToolsListed(
            request_id=request.request_id,
            servers=tuple(entry for entry, _ in entries),
            tools=tuple(ToolEntry(server=tool.server, name=tool.name, description=tool.line) for tool in tools[:most]),
            more=max(0, len(tools) - most),
        )

    async def _entry(self, name: str) -> tuple[ServerEntry, tuple[Tool, ...]]:
        """A server with its tools; without tools if the list fails."""
        session = self._sessions[name]
        if fault := self._servers[name].fault:
            return ServerEntry(name=name, fault=fault), ()
        time = asyncio.get_running_loop().time
        if time() < self._silent_until.get(name, 0.0):
            return ServerEntry(name=name, fault=SILENT), ()
        try:
            async with self._starts, asyncio.timeout(LIST_S):  # the wait for others is none of its own
                tools = await session.tools()
        except TimeoutError:
            self._silent_until[name] = time() + SILENT_S
            return ServerEntry(name=name, fault=SILENT), ()
        except ServerError as error:
            return ServerEntry(name=name, fault=str(error)), ()
        return ServerEntry(name=name, title=session.title, tools=len(tools)), tools

    @asynccontextmanager
    async def _connect(self, config: ServerConfig, change: Callable[[], None], end: Callable[[str], None]) -> Any:
        """A session, once the library is there."""
        if self._connector is None:
            kind = await asyncio.to_thread(_import_connector)
            self._connector = kind(self._host, self._folder)
        async with self._connector.connect(config, change, end) as client:
            yield client


S = TypeVar("S", bound=msgspec.Struct)


def scrub_value(value: S, scrub: Callable[[str], str]) -> S:
    """A message or value, with the agent's secrets removed from all texts."""

    def clean(each: object) -> object:
        match each:
            case str():
                return scrub(each)
            case tuple():
                return tuple(map(clean, each))
            case msgspec.Struct():
                return scrub_value(each, scrub)
            case _:
                return each

    names = [name for name in value.__struct_fields__ if name != "request_id"]
    return msgspec.structs.replace(value, **{name: clean(getattr(value, name)) for name in names})


def _import_connector() -> type[Connector]:
    with LATE_IMPORT:
        from actors.mcp.connecting import Connector
    return Connector


def _find_tool(name: str, tools: tuple[Tool, ...]) -> Tool:
    """The tool of the given name.

    Raises:
        ServerError: the tool does not exist.
    """
    tool = next((each for each in tools if each.name == name), None)
    if tool is None:
        raise ServerError(
            f"tool {name[:100]!r}: there is none of that name; {nearest_names(name, (t.name for t in tools))}"
        )
    return tool


def _wrap_answer(request: CallTool | ReadResource | GetPrompt, answer: Answer) -> ServerAnswered:
    """Answer for the asker.

    Raises:
        ServerError: the answer is too long.
    """
    size = sum(len(part.text.encode("utf-8", "replace")) + len(part.data) for part in answer.parts)
    if size > MOST_ANSWER_BYTES:
        raise ServerError(f"its answer has {size} bytes, at most {MOST_ANSWER_BYTES} are taken")
    return ServerAnswered(
        request_id=request.request_id, server=request.server, parts=answer.parts, is_error=answer.is_error
    )


def _wrap_items(request: ListResources | ListPrompts, items: tuple[ListedItem, ...]) -> ServerListed:
    return ServerListed(request_id=request.request_id, items=items[:MOST_ITEMS], more=max(0, len(items) - MOST_ITEMS))


def _wording(request: McpRequest) -> str:
    """Kind and addressee of a request, without words of people."""
    kind = type(request).__name__
    return kind if isinstance(request, ListTools) else f"{kind} {request.server}"


def _text(value: object) -> str:
    """An argument of a prompt, always a text."""
    return value if isinstance(value, str) else json.dumps(value)
