"""Benchmark of each command's name, imported only when the command runs, for a fast start of other commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.bench.benchmark import Benchmark

MCP_HELP = """Servers of the Model Context Protocol: tokens of the first request, calls and searches; a minute or two.

A call of the sample server beside the same call by the mcp package, first requests with no, one and 20 servers
beside a request that holds all their tools, and 200 tools looked for by words. Exit code 1 when a call costs
more than 30 ms beside the server's own time, 20 servers cost more tokens than one, or a tool takes more than
two commands. With --hostile about 100 servers attack, one after another, beside a neighbour; ten minutes.
Exit code 1 when one does harm.
"""


def benchmark_of(name: str) -> Benchmark:
    """Benchmark of a command, imported when the command runs."""
    if name in ("continuity", "facts", "objects", "prompts", "upkeep", "workspace"):
        return _layer_benchmark(name)
    if name in ("crashes", "durable", "forget", "month"):
        return _endurance_benchmark(name)
    if name in ("documents", "escapes", "mcp", "shell"):
        return _command_benchmark(name)
    match name:
        case "cache":
            from lab.bench.cache.run import CACHE

            return CACHE
        case "cluster":
            from lab.bench.cluster.run import CLUSTER

            return CLUSTER
        case "discord":
            from lab.bench.discord.figures import DISCORD

            return DISCORD
        case "import":
            from lab.bench.imports.run import IMPORT

            return IMPORT
        case "kernel":
            from lab.bench.kernel.run import KERNEL

            return KERNEL
        case "memory":
            from lab.bench.memory.run import MEMORY

            return MEMORY
        case "recall":
            from lab.bench.recall.run import RECALL

            return RECALL
        case "recorded":
            from lab.bench.recorded.run import RECORDED

            return RECORDED
        case "start":
            from lab.bench.start.run import START

            return START
        case _:
            from lab.bench.tasks.run import TASKS_DONE

            return TASKS_DONE


def _command_benchmark(name: str) -> Benchmark:
    match name:
        case "documents":
            from lab.bench.documents import DOCUMENTS

            return DOCUMENTS
        case "escapes":
            from lab.bench.escapes.run import ESCAPES

            return ESCAPES
        case "mcp":
            from lab.bench.mcp.run import MCP

            return MCP
        case _:
            from lab.bench.shell.run import SHELL

            return SHELL


def _endurance_benchmark(name: str) -> Benchmark:
    match name:
        case "crashes":
            from lab.bench.crashes.run import CRASHES

            return CRASHES
        case "durable":
            from lab.bench.durable.run import DURABLE

            return DURABLE
        case "forget":
            from lab.chaos.forget.run import FORGET

            return FORGET
        case _:
            from lab.bench.month.run import MONTH

            return MONTH


def _layer_benchmark(name: str) -> Benchmark:
    match name:
        case "continuity":
            from lab.bench.continuity.run import CONTINUITY

            return CONTINUITY
        case "facts":
            from lab.bench.facts.run import FACTS

            return FACTS
        case "objects":
            from lab.bench.objects.run import OBJECTS

            return OBJECTS
        case "prompts":
            from lab.bench.prompts.run import PROMPTS

            return PROMPTS
        case "upkeep":
            from lab.bench.continuity.upkeep import UPKEEP

            return UPKEEP
        case _:
            from lab.bench.workspace.run import WORKSPACE

            return WORKSPACE
