"""The sample server, before the protocol's own client and before bytes of all kinds."""

from __future__ import annotations

import asyncio
import json
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.part import SHIPPED_SKILLS
from tests.patience import PATIENCE_S

SCRIPT = SHIPPED_SKILLS / "mcp" / "samples" / "almanac.py"
RIGHT = (
    ("convert", {"value": 10, "unit": "mi", "to": "km"}, {"value": 16.09344, "unit": "km"}),
    ("convert", {"value": 212, "unit": "F", "to": "C"}, {"value": 100.0, "unit": "C"}),
    ("convert", {"value": 0, "unit": "C", "to": "K"}, {"value": 273.15, "unit": "K"}),
    ("days_between", {"start": "2026-11-29", "end": "2026-12-25"}, {"days": 26, "start": "Sunday", "end": "Friday"}),
    ("add_days", {"start": "2024-02-28", "days": 2}, {"date": "2024-03-01", "weekday": "Friday", "iso_week": 9}),
    ("calculate", {"expression": "(3 + 4) * sqrt(4) - 2 ** 3"}, {"value": 6.0}),
)
WRONG = (
    ("convert", {"value": 10, "unit": "mi", "to": "kg"}, "not units of the same quantity"),
    ("convert", {"value": "10", "unit": "mi", "to": "km"}, "value must be of type number"),
    ("convert", {"value": 10, "unit": "mi"}, "the arguments are value, unit, to"),
    ("add_days", {"start": "2026-02-30", "days": 1}, "not a date such as"),
    ("add_days", {"start": "2026-02-28", "days": 10**9}, "beyond the calendar"),
    ("calculate", {"expression": "__import__('os').system('id')"}, "it may hold numbers"),
    ("calculate", {"expression": "9**9**9"}, "has no value"),
    ("calculate", {"expression": "10000000 * 10000000 * 10000000"}, "too large"),
    ("calculate", {"expression": "1 +"}, "has no value"),
    ("calculate", {"expression": "1 / 0"}, "has no value"),
    ("calculate", {"expression": "(" * 150 + ")" * 150}, "at most 200 characters"),
)


def speak(*lines: bytes) -> list[dict[str, Any]]:
    """Answers of the server to lines of input."""
    done = subprocess.run(
        ["python3", "-I", str(SCRIPT)], input=b"\n".join(lines), capture_output=True, timeout=PATIENCE_S, check=True
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_protocols_own_client_finds_and_calls_what_there_is() -> None:
    asyncio.run(use_everything())


async def use_everything() -> None:
    from mcp import Client, MCPError, StdioServerParameters  # take a second, for one test
    from mcp.types import TextContent, TextResourceContents

    parameters = StdioServerParameters(command="python3", args=["-I", str(SCRIPT)])
    async with Client(parameters, read_timeout_seconds=PATIENCE_S) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {"convert", "days_between", "add_days", "calculate"}
        for name, arguments, expected in RIGHT:
            result = await client.call_tool(name, arguments)  # which compares the result with its schema
            assert result.structured_content == expected
            assert not result.is_error
        for name, arguments, reason in WRONG:
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert isinstance(result.content[0], TextContent)
            assert reason in result.content[0].text
        with pytest.raises(MCPError, match="no tool 'buy'"):
            await client.call_tool("buy", {})

        (units,) = (await client.list_resources()).resources
        (template,) = (await client.list_resource_templates()).resource_templates
        assert (str(units.uri), template.uri_template) == ("almanac://units", "almanac://calendar/{year}/{month}")
        for uri, part in (("almanac://units", "length: m, km"), ("almanac://calendar/2026/2", "February 2026")):
            (page,) = (await client.read_resource(uri)).contents
            assert isinstance(page, TextResourceContents)
            assert part in page.text
        for uri in ("almanac://calendar/2026/13", "almanac://calendar/x/y", "almanac://", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="there is no"):
                await client.read_resource(uri)

        (prompt,) = (await client.list_prompts()).prompts
        got = await client.get_prompt(prompt.name, {"event": "the launch", "day": "2026-12-25"})
        content = got.messages[0].content
        assert isinstance(content, TextContent)
        assert "until the launch on 2026-12-25" in content.text
        with pytest.raises(MCPError, match="there is one prompt"):
            await client.get_prompt("countdown", {})


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_it_speaks_the_version_that_the_client_wants(version: str) -> None:
    wanted = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version}}
    (answer,) = speak(json.dumps(wanted).encode())

    assert answer["result"]["protocolVersion"] == version


def test_to_an_unknown_version_it_offers_its_newest() -> None:
    wanted = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2099-01-01"}}
    (answer,) = speak(json.dumps(wanted).encode())

    assert answer["result"]["protocolVersion"] == "2025-11-25"


def test_lines_that_are_no_requests_are_errors_and_not_its_end() -> None:
    lines = (
        b"",
        b"no json",
        b"[" * 100_000,
        b"\xff\xfe",
        b"[]",
        b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "server/discover"}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": [1]}',
        b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": [], "arguments": 5}}',
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "id": 5, "method": "ping"}',
    )
    answers = speak(*lines)

    codes = [answer["error"]["code"] for answer in answers[:-1]]
    assert codes == [-32700, -32700, -32700, -32600, -32600, -32601, -32602, -32602]
    assert answers[-1] == {"jsonrpc": "2.0", "id": 5, "result": {}}


@pytest.mark.slow
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=60), max_size=20))
def test_any_text_is_answered_with_messages_only(lines: list[str]) -> None:
    for answer in speak(*(line.encode() for line in lines)):
        assert answer["jsonrpc"] == "2.0"
        assert ("result" in answer) != ("error" in answer)
