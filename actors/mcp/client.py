"""Requests of the protocol, made with the library: a session's beginning, tools, resources and prompts.

The library's own methods validate results by the server's schemas, and a schema's patterns can take hours, so requests
are made a level below these methods.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from mcp import MCPError, types
from mcp.client.session import ClientSession
from pydantic import BaseModel, ValidationError

from actors.mcp.answers import Answer, answer_of_contents, answer_of_prompt, answer_of_resource, clean, tool_of
from actors.mcp.errors import ServerError, SessionOverError
from domain.turn.tools.catalogue import Tool
from messages.web import ListedItem

MOST_PAGES = 50
MOST_TOOLS = 1_000
MOST_ITEMS = 1_000
_DISCOVER_S = 5.0
_FEW_CHARS = 500
R = TypeVar("R", bound=BaseModel)


def own_name() -> types.Implementation:
    """Name of this client, as shown to servers."""
    return types.Implementation(name="remembrancer", version="0.1")


class Client:
    """A begun session with a server."""

    def __init__(self, name: str, session: ClientSession) -> None:
        self._name = name
        self._session = session

    async def begin(self) -> None:
        """Agree on a version of the protocol.

        Raises:
            ServerError: the server speaks no version known here.
        """
        try:
            await self._ask(self._session.initialize)
        except ServerError as error:
            if isinstance(error, SessionOverError):
                raise
            try:
                async with asyncio.timeout(_DISCOVER_S):  # servers of later versions need not know the older beginning
                    await self._ask(self._session.discover)
            except (ServerError, TimeoutError):
                raise error from None

    @property
    def title(self) -> str:
        """The server's own name and version."""
        info = self._session.server_info
        return "" if info is None else clean(f"{info.title or info.name} {info.version}", 100)

    @property
    def instructions(self) -> str:
        """Description of the server, in its own words."""
        return clean(self._session.instructions or "", 4_000)

    async def list_tools(self) -> tuple[Tool, ...]:
        """Tools of the server, the first `MOST_TOOLS`; of two with the same name the first."""
        capabilities = self._session.server_capabilities
        if capabilities is not None and capabilities.tools is None:
            return ()
        items = await self._pages(types.ListToolsRequest, types.ListToolsResult, lambda page: page.tools, MOST_TOOLS)
        tools: dict[str, Tool] = {}
        for each in items:
            tool = tool_of(self._name, each)
            if tool.name:
                tools.setdefault(tool.name, tool)
        return tuple(tools.values())

    async def call_tool(self, tool: Tool, arguments: dict[str, Any]) -> Answer:
        """Call a tool once."""
        params = types.CallToolRequestParams(name=tool.wire_name or tool.name, arguments=arguments)
        result = await self._request(types.CallToolRequest(params=params), types.CallToolResult)
        return answer_of_contents(result, f"{self._name}-{tool.name}")

    async def list_resources(self) -> tuple[ListedItem, ...]:
        """Resources and patterns of resources; empty for a server without resources."""
        capabilities = self._session.server_capabilities
        if capabilities is None or capabilities.resources is None:
            return ()
        resources = await self._pages(
            types.ListResourcesRequest, types.ListResourcesResult, lambda page: page.resources, MOST_ITEMS
        )
        items = [_item(str(each.uri), each) for each in resources]
        try:
            templates = await self._pages(
                types.ListResourceTemplatesRequest,
                types.ListResourceTemplatesResult,
                lambda page: page.resource_templates,
                MOST_ITEMS,
            )
        except SessionOverError:
            raise
        except ServerError:
            templates = []  # many servers have no patterns, and say so by an error
        return (*items, *(_item(each.uri_template, each) for each in templates))

    async def read_resource(self, uri: str) -> Answer:
        """Read a resource."""
        params = types.ReadResourceRequestParams(uri=uri)
        result = await self._request(types.ReadResourceRequest(params=params), types.ReadResourceResult)
        return answer_of_resource(result, self._name)

    async def list_prompts(self) -> tuple[ListedItem, ...]:
        """Prompts of the server."""
        capabilities = self._session.server_capabilities
        if capabilities is None or capabilities.prompts is None:
            return ()
        prompts = await self._pages(
            types.ListPromptsRequest, types.ListPromptsResult, lambda page: page.prompts, MOST_ITEMS
        )
        return tuple(_prompt(each) for each in prompts)

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Answer:
        """Get a prompt with its arguments filled in."""
        params = types.GetPromptRequestParams(name=name, arguments=arguments)
        result = await self._request(types.GetPromptRequest(params=params), types.GetPromptResult)
        return answer_of_prompt(result, self._name)

    async def _pages(
        self, request: Callable[..., Any], kind: type[R], entries: Callable[[R], list[Any]], most: int
    ) -> list[Any]:
        """Entries of all pages, up to `most`."""
        items: list[Any] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await self._request(request(params=types.PaginatedRequestParams(cursor=cursor)), kind)
            items += entries(page)
            cursor = getattr(page, "next_cursor", None)
            if not cursor or len(items) >= most:
                break
        return items[:most]

    async def _request(self, request: Any, kind: type[R]) -> R:
        result: R = await self._ask(lambda: self._session.send_request(request, kind))
        return result

    async def _ask(self, ask: Callable[[], Any]) -> Any:
        """Result of a request.

        Raises:
            SessionOverError: the session has ended.
            ServerError: the server refused, or its answer is malformed.
        """
        try:
            return await ask()
        except MCPError as error:
            if error.error.code == types.CONNECTION_CLOSED:
                raise SessionOverError("the connection was closed") from None
            raise ServerError(f"error {error.error.code}: {clean(error.error.message, _FEW_CHARS)}") from None
        except OSError:
            raise SessionOverError("") from None
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            words = clean(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}", _FEW_CHARS)
            raise ServerError(f"its answer breaks the protocol: {words}") from None
        except (RuntimeError, RecursionError, ValueError) as error:
            raise ServerError(f"its answer cannot be used: {clean(str(error), _FEW_CHARS)}") from None


def _item(name: str, each: Any) -> ListedItem:
    words = (each.title or each.name or "", each.description or "", f"({each.mime_type})" if each.mime_type else "")
    return ListedItem(name=clean(name, 2_000), description=clean(" ".join(filter(None, words)), _FEW_CHARS))


def _prompt(each: Any) -> ListedItem:
    arguments = [f"{one.name}{'' if one.required else '?'}" for one in (each.arguments or [])[:50]]
    takes = f"[{', '.join(arguments)}]" if arguments else ""
    words = " ".join(filter(None, (takes, each.title or "", each.description or "")))
    return ListedItem(name=clean(each.name, 256), description=clean(words, _FEW_CHARS))
