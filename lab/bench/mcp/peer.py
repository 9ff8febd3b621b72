"""The same calls by the protocol's own package, in a process of its own: the server's time without the agent."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any


async def measure(command: list[str], calls: int) -> dict[str, Any]:
    """Seconds of the start, and of each call."""
    from mcp import Client, StdioServerParameters

    began = time.perf_counter()
    async with Client(StdioServerParameters(command=command[0], args=command[1:])) as client:
        await client.list_tools()
        started = time.perf_counter() - began
        seconds = []
        for _ in range(calls):
            called = time.perf_counter()
            await client.call_tool("calculate", {"expression": "6 * 7"})
            seconds.append(time.perf_counter() - called)
    return {"start_s": started, "call_s": seconds}


def main() -> None:
    """Print the figures."""
    sizes = json.loads(sys.argv[-1])
    figures = asyncio.run(measure(sizes["command"], sizes["calls"]))
    sys.stdout.write(json.dumps(figures))
