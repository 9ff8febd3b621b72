"""A server on the protocol's own package that does all that a server may do; over stdio, or over HTTP with a port.

Started as a program: `python3 everything.py` or `python3 everything.py http`, which prints the port.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import warnings
from base64 import b64encode
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.shared.message import ServerMessageMetadata

PNG = b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 32).decode()
WAV = b64encode(b"RIFF\x24\0\0\0WAVEfmt " + b"\0" * 28).decode()
PDF = b64encode(b"%PDF-1.7\n%%EOF\n").decode()
PAGE = 3
Context = ServerRequestContext[Any]
Result = types.CallToolResult
changed: list[str] = []
cancelled: list[str] = []


def said(*texts: str, **more: Any) -> Result:
    return Result(content=[types.TextContent(text=text) for text in texts], **more)


async def echo(_context: Context, arguments: dict[str, Any]) -> Result:
    return said(json.dumps(arguments, sort_keys=True, ensure_ascii=False))


async def mixed(_context: Context, _arguments: dict[str, Any]) -> Result:
    return Result(
        content=[
            types.TextContent(text="before"),
            types.ImageContent(data=PNG, mime_type="image/png"),
            types.AudioContent(data=WAV, mime_type="audio/wav"),
            types.EmbeddedResource(
                resource=types.TextResourceContents(uri="test://notes/a.md", mime_type="text/markdown", text="# Notes")
            ),
            types.EmbeddedResource(
                resource=types.BlobResourceContents(uri="test://files/b.pdf", mime_type="application/pdf", blob=PDF)
            ),
            types.ResourceLink(
                uri="test://text/0", name="text 0", description="A text to read.", mime_type="text/plain", size=7
            ),
            types.TextContent(text="after", annotations=types.Annotations(audience=["user"], priority=1.0)),
        ]
    )


async def structured(_context: Context, _arguments: dict[str, Any]) -> Result:
    return said('{"temperature": 21.5}', structured_content={"temperature": 21.5})


async def structured_alone(_context: Context, _arguments: dict[str, Any]) -> Result:
    return said(structured_content={"temperature": 21.5})


async def nothing(_context: Context, _arguments: dict[str, Any]) -> Result:
    return said()


async def fails(_context: Context, _arguments: dict[str, Any]) -> Result:
    return said("the disk is full", structured_content={"reason": "not of the schema"}, is_error=True)


async def refuses(_context: Context, _arguments: dict[str, Any]) -> Result:
    raise MCPError(code=-32050, message="this is refused", data={"why": "a test"})


async def crashes(_context: Context, _arguments: dict[str, Any]) -> Result:
    raise RuntimeError("a bug of the server")


async def progress(context: Context, _arguments: dict[str, Any]) -> Result:
    for step in range(5):
        await context.session.report_progress(step, 5, f"step {step}")
    return said("five steps")


async def logs(context: Context, _arguments: dict[str, Any]) -> Result:
    for level in ("debug", "info", "warning", "error", "emergency"):
        await context.session.send_log_message(
            level=level, data=f"at level {level}", related_request_id=context.request_id
        )
    return said("five lines of log")


async def asks(context: Context, arguments: dict[str, Any]) -> Result:
    """What each request of the server's own came to."""
    here = ServerMessageMetadata(related_request_id=context.request_id)
    ways: dict[str, Callable[[], Awaitable[Any]]] = {
        "sampling": lambda: context.session.create_message(
            messages=[types.SamplingMessage(role="user", content=types.TextContent(text="Say a secret."))],
            max_tokens=10,
            related_request_id=context.request_id,
        ),
        "elicitation": lambda: context.session.elicit_form(
            message="Your password?",
            requested_schema={"type": "object", "properties": {"password": {"type": "string"}}},
            related_request_id=context.request_id,
        ),
        "roots": lambda: context.session.send_request(types.ListRootsRequest(), types.ListRootsResult, metadata=here),
        "ping": lambda: context.session.send_request(types.PingRequest(), types.EmptyResult, metadata=here),
    }
    try:
        return said(f"answered: {await asyncio.wait_for(ways[arguments['way']](), 20)!r}")
    except MCPError as error:
        return said(f"refused: {error.error.code} {error.error.message}")


async def slow(_context: Context, arguments: dict[str, Any]) -> Result:
    try:
        await asyncio.sleep(arguments.get("seconds", 3600))
    except asyncio.CancelledError:
        cancelled.append("slow")
        raise
    return said("awake")


async def counts(_context: Context, _arguments: dict[str, Any]) -> Result:
    return said(f"cancelled: {len(cancelled)}")


async def changes(context: Context, _arguments: dict[str, Any]) -> Result:
    changed.append("late")
    await context.session.send_tool_list_changed()
    return said("there is one tool more")


Act = Callable[[Context, dict[str, Any]], Awaitable[Result]]
ACTS: dict[str, Act] = {
    act.__name__: act
    for act in (
        echo,
        mixed,
        structured,
        structured_alone,
        nothing,
        fails,
        refuses,
        crashes,
        progress,
        logs,
        asks,
        slow,
        counts,
        changes,
    )
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "echo": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"street": {"$anchor": "street", "type": "string", "minLength": 1}},
        "properties": {"address": {"$ref": "#street"}, "Grüße": {"type": ["string", "null"], "default": None}},
        "allOf": [{"anyOf": [{"required": ["address"]}, {"required": ["Grüße"]}]}],
        "if": {"properties": {"address": {"const": "x"}}},
        "then": {"required": ["Grüße"]},
        "else": {},
        "additionalProperties": True,
    }
}
OUTPUT = {"type": "object", "properties": {"temperature": {"type": "number"}}, "required": ["temperature"]}


def tool(name: str) -> types.Tool:
    return types.Tool(
        name=name,
        title=name.replace("_", " ").title(),
        description=f"The act {name}. It is for tests.\n\nA second paragraph.",
        input_schema=SCHEMAS.get(name, {"type": "object"}),
        output_schema=OUTPUT if name.startswith("structured") or name == "fails" else None,
        annotations=types.ToolAnnotations(read_only_hint=True),
    )


def page(entries: list[Any], cursor: str | None) -> tuple[list[Any], str | None]:
    """One page, and the cursor of the next; a cursor that this server has not given is refused."""
    start = 0
    if cursor is not None:
        if not cursor.startswith("cursor ö "):
            raise MCPError(code=types.INVALID_PARAMS, message=f"no such cursor: {cursor}")
        start = int(cursor.removeprefix("cursor ö "))
    end = start + PAGE
    return entries[start:end], f"cursor ö {end}" if end < len(entries) else None


async def list_tools(_context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    entries, cursor = page([tool(name) for name in (*ACTS, *changed)], params.cursor if params else None)
    return types.ListToolsResult(tools=entries, next_cursor=cursor)


async def call_tool(context: Context, params: types.CallToolRequestParams) -> Result:
    if params.name not in ACTS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")
    return await ACTS[params.name](context, params.arguments or {})


async def list_resources(_context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    texts = [types.Resource(uri=f"test://text/{number}", name=f"text {number}") for number in range(7)]
    entries, cursor = page(texts, params.cursor if params else None)
    return types.ListResourcesResult(resources=entries, next_cursor=cursor)


async def list_templates(
    _context: Context, _params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="test://text/{number}", name="text", description="Any text.")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(_context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == "test://blob":
        return types.ReadResourceResult(
            contents=[types.BlobResourceContents(uri=uri, mime_type="application/pdf", blob=PDF)]
        )
    if not uri.startswith("test://text/"):
        raise MCPError(code=-32002, message=f"Resource not found: {uri}", data={"uri": uri})
    return types.ReadResourceResult(
        contents=[
            types.TextResourceContents(
                uri=uri, mime_type="text/plain; charset=utf-8", text=f"The text of {uri}: grüße"
            ),
            types.TextResourceContents(uri=f"{uri}/more", text="and more"),
        ]
    )


async def list_prompts(_context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    city = types.PromptArgument(name="city", description="A city.", required=True)
    prompts = [types.Prompt(name="simple", description="A prompt without arguments.")]
    prompts += [types.Prompt(name="weather", arguments=[city, types.PromptArgument(name="state")])]
    prompts += [types.Prompt(name=f"prompt {number}") for number in range(3)]
    entries, cursor = page(prompts, params.cursor if params else None)
    return types.ListPromptsResult(prompts=entries, next_cursor=cursor)


async def get_prompt(_context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    if params.name not in ("simple", "weather") or (params.name == "weather" and "city" not in given):
        raise MCPError(code=types.INVALID_PARAMS, message=f"no such prompt, or an argument is missing: {params.name}")
    ask = f"What is the weather in {given['city']}?" if given else "This is a simple prompt."
    image = types.ImageContent(data=PNG, mime_type="image/png")
    return types.GetPromptResult(
        messages=[
            types.PromptMessage(role="user", content=types.TextContent(text=ask)),
            types.PromptMessage(role="assistant", content=image),
        ]
    )


def server() -> Server[Any]:
    return Server(
        "everything",
        version="1.2.3",
        instructions="A server for tests.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


async def serve_stdio() -> None:
    from mcp.server.stdio import stdio_server

    made = server()
    options = made.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server() as (read, write):
        await made.run(read, write, options)


def serve_http() -> None:
    uvicorn = import_module("uvicorn")  # comes with mcp, and is nothing that the agent needs
    listener = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    app = server().streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["http"]:
        serve_http()
    else:
        asyncio.run(serve_stdio())
