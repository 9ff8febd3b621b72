"""Figures of servers of the protocol: tokens of the first request, calls until a tool is known, time of a call."""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from actors.kernel import ManualClock
from actors.part import SHIPPED_SKILLS
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.mcp.catalogue import Tool, servers, tools
from lab.bench.mcp.harm import visible_text
from lab.bench.mcp.hostile_run import measure_hostile
from lab.bench.mcp.stage import ALMANAC, FRIENDLY, McpStage
from lab.bench.measure import Figures, percentile
from lab.bench.process import MeasurementError
from lab.bench.process import measure as measure_apart
from lab.bench.prompts.run import ROOT, tokens_of
from lab.bench.workspace.agent import BenchAgent, window_of
from lab.bench.workspace.place import embed
from messages.web import DescribeServer, ListTools, ServerDescribed, ToolsListed

CALLS = 200
QUICK_CALLS = 20
WARM_UP = 5
MOST_CALLS = 2
MOST_OVERHEAD_MS = 30.0
AGENT, PEER = "a call by the agent", "a call by the mcp package"
NONE, ONE, TWENTY, CLASSIC = "no server", "1 server", "20 servers", "20 servers, all tools in the request"
SEARCH = "200 tools by words"


def first_request_tokens(named: Mapping[str, Mapping[str, object]]) -> float:
    """Tokens of the first request of a thread whose agent has the servers: system prompt and tools."""
    with tempfile.TemporaryDirectory(prefix="agent-mcp-") as whole:
        root = Path(whole).resolve()
        settings: dict[str, object] = {"mcp.servers": {name: dict(each) for name, each in named.items()}}
        with BenchAgent(root, lambda _request: "Hello.", embed, settings, clock=ManualClock()) as agent:
            (request,) = agent.say(window_of(0), "Hello.", 1).requests
        prompt = request.system_prompt.replace(str(root / "data"), f"{ROOT}/data")
        prompt = prompt.replace(str(SHIPPED_SKILLS), f"{ROOT}/skills")
        return float(tokens_of(prompt + "".join(map(str, request.tools))))


def classic_tokens() -> float:
    """Tokens of the definitions of all tools of the catalogue, as sent by a client with all tools in its requests."""
    definitions = []
    for tool in tools():
        words = tool.name.split("_")
        properties = {word: {"type": "string", "description": f"The {word}."} for word in words}
        schema = {"type": "object", "properties": properties, "required": words[:1]}
        name = f"mcp__{tool.server}__{tool.name}"
        function = {"name": name, "description": tool.description, "parameters": schema}
        definitions.append({"type": "function", "function": function})
    return float(tokens_of(json.dumps(definitions)))


def calls_until_known(stage: McpStage, tool: Tool) -> tuple[int, int]:
    """Number of commands until the schema of a tool is known, and the tokens of their answers; 99 if never."""
    listed = stage.ask(ListTools, words=tool.search)
    if not isinstance(listed, ToolsListed):
        raise MeasurementError(f"the list was refused: {listed!r}")
    tokens = tokens_of(visible_text(listed))
    if (tool.server, tool.name) not in {(each.server, each.name) for each in listed.tools}:
        return 99, tokens
    described = stage.ask(DescribeServer, server=tool.server, tool=tool.name)
    if not isinstance(described, ServerDescribed) or '"properties"' not in described.text:
        return 99, tokens
    return 2, tokens + tokens_of(described.text)


def measure_search(say: Callable[[str], object], wanted: tuple[Tool, ...]) -> Figures:
    """Figures of a search for each tool."""
    with tempfile.TemporaryDirectory(prefix="agent-mcp-") as root, McpStage(Path(root), servers()) as stage:
        say("20 servers are started")
        counts = [calls_until_known(stage, tool) for tool in wanted]
    calls, tokens = [each[0] for each in counts], [each[1] for each in counts]
    return {
        "tools": float(len(counts)),
        "known": float(sum(each <= MOST_CALLS for each in calls)),
        "calls_max": float(max(calls)),
        "answer_tokens": statistics.fmean(tokens),
        "answer_tokens_max": float(max(tokens)),
    }


def measure_calls(say: Callable[[str], object], count: int) -> Rows:
    """Times of calls of the sample server: by the agent in its sandbox, and by the protocol's own package without."""
    say("calls by the mcp package")
    command = ["python3", "-I", str(ALMANAC)]
    peer = measure_apart("lab.bench.mcp.peer", {"command": command, "calls": count + WARM_UP})
    say("calls by the agent")
    with (
        tempfile.TemporaryDirectory(prefix="agent-mcp-") as root,
        McpStage(Path(root), {"friendly": FRIENDLY}) as stage,
    ):
        started = stage.add()
        seconds = [stage.add() for _ in range(count + WARM_UP)][WARM_UP:]
    ours, theirs = _times(seconds, started), _times(peer["call_s"][WARM_UP:], peer["start_s"])
    ours |= {f"overhead_{name}": ours[f"call_{name}"] - theirs[f"call_{name}"] for name in ("ms", "p95_ms")}
    return {AGENT: ours, PEER: theirs}


def _times(seconds: list[float], started_s: float) -> Figures:
    return {
        "call_ms": statistics.median(seconds) * 1000,
        "call_p95_ms": percentile(seconds, 0.95) * 1000,
        "start_ms": started_s * 1000,
    }


def measure(say: Callable[[str], object], *, quick: bool = False, hostile: bool = False) -> Rows:
    """All figures.

    Args:
        say: Told the current step.
        quick: True for few calls and tools.
        hostile: True for the hostile servers instead.
    """
    if hostile:
        return measure_hostile(say)
    rows = measure_calls(say, QUICK_CALLS if quick else CALLS)
    say("first requests")
    twenty = servers()
    without, one = first_request_tokens({}), first_request_tokens(dict(list(twenty.items())[:1]))
    every = first_request_tokens(twenty)
    rows = {
        **rows,
        NONE: {"tokens": without},
        ONE: {"tokens": one, "added_tokens": one - without},
        TWENTY: {"tokens": every, "added_tokens": every - without, "beyond_one": every - one},
        CLASSIC: {"tokens": without + classic_tokens(), "added_tokens": classic_tokens()},
    }
    return {**rows, SEARCH: measure_search(say, tools()[:: 10 if quick else 1])}


MCP = Benchmark(
    name="mcp",
    measure=measure,
    targets=(
        Target("overhead of a call, median, ms", "overhead_ms", MOST_OVERHEAD_MS, AGENT, is_speed=True),
        Target("overhead of a call, 95 %, ms", "overhead_p95_ms", MOST_OVERHEAD_MS, AGENT, is_speed=True),
        Target("tokens of 20 servers beyond those of one", "beyond_one", 0.0, TWENTY),
        Target("commands until a tool is known, at most", "calls_max", MOST_CALLS, SEARCH),
    ),
    columns=(
        Column("median ms", "call_ms", ".2f"),
        Column("95 % ms", "call_p95_ms", ".2f"),
        Column("first ms", "start_ms", ".0f"),
        Column("tokens", "tokens", ",.0f"),
        Column("added", "added_tokens", ",.0f"),
        Column("known", "known", ",.0f"),
        Column("tokens of answers", "answer_tokens", ",.0f"),
        Column("end", "ended_s", ".1f"),
        Column("neighbour ms", "neighbour_ms", ",.0f"),
        Column("memory MiB", "memory_mib", ",.0f"),
        Column("disk MiB", "disk_mib", ",.0f"),
        Column("left", "left", ",.0f"),
    ),
    note="Tokens by cl100k. A call is a message to the agent's actor and its answer; the peer calls the same server.",
)
