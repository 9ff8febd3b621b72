"""`agent memory`: search the index, explain the last injection, count, rebuild; and the facts of the gateway."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actors.cli.asking import OPERATOR, VerbClient, asking_options
from actors.cli.common import fail, playground_hint
from actors.cli.curated import curated_group
from actors.cli.facts import add, forget, list_, search_facts
from actors.cli.terminal.completion import WindowKey
from actors.cli.terminal.progress import Say, progress_line

if TYPE_CHECKING:
    from actors.kernel import ActorSpec
    from actors.part import Plan, Verb
    from actors.settings.schema import Settings

REBUILD_S = 86_400.0
_limit_option = click.option(
    "--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="Most memories to show."
)
_NEEDS_AGENT_TO_SWITCH = (
    "the running agent switches memory, and no agent runs here: start one, or use the channel's settings table"
)
_NEEDS_AGENT = "--window needs the running agent, which knows the readers of each window"


@click.group()
def memory() -> None:
    """Search and inspect the memory: all messages, indexed from the logs."""


for command in (curated_group, add, list_, forget):
    memory.add_command(command)


@memory.command()
@click.argument("query", nargs=-1, required=True)
@_limit_option
@click.option(
    "--window",
    "window",
    type=WindowKey(),
    default=OPERATOR,
    help="Only memories that this window may show, e.g. discord-thread/123; needs the running agent.",
)
@click.option("--memory-id", default="", help="Search the facts of this conversation of the gateway instead.")
@asking_options
def search(query: tuple[str, ...], limit: int, window: str, memory_id: str, **options: Any) -> None:
    """Find memories related to QUERY, best first; the agent may run or not."""
    text = _join(query, "QUERY")
    if memory_id:
        search_facts(text, memory_id, limit, options)
        return
    fields = {"query": text, "limit": limit, "window": window}
    _MEMORY.tell("search", options, fields, needs_agent=_NEEDS_AGENT if window != OPERATOR else "")


@memory.command()
@click.argument("name", nargs=-1, required=True)
@_limit_option
@click.option(
    "--window",
    "window",
    type=WindowKey(),
    default=OPERATOR,
    help="Only memories that this window may show, e.g. discord-channel/123; needs the running agent.",
)
@click.option(
    "--export",
    "export",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write up to 200 memories to this new file as JSON, readable by you alone.",
)
@asking_options
def me(name: tuple[str, ...], limit: int, window: str, export: Path | None, **options: Any) -> None:
    """Show memories about the person NAME, as `/memory me` shows them to the person."""
    text = _join(name, "NAME")
    fields = {"query": text, "about": text, "limit": limit, "window": window}
    needs = _NEEDS_AGENT if window != OPERATOR else ""
    if export is None:
        _MEMORY.tell("me", options, fields, needs_agent=needs)
        return
    _export(export, _MEMORY.ask("me", options, {**fields, "limit": 200}, needs_agent=needs))


def _export(file: Path, reply: Any) -> None:
    """Write memories to a new file of the caller's; an existing file ends the command."""
    from actors.memory.recall.commands import export_memories

    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
            opened.write(export_memories(reply))
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    click.echo(f"{len(reply.memories)} memories are in {file}")


def _join(words: tuple[str, ...], name: str) -> str:
    """Words of an argument as one text; ends the command for a blank text."""
    text = " ".join(words)
    if not text.strip():
        fail(f"{name} is blank")
    return text


@memory.command()
@click.option(
    "--window",
    "about",
    type=WindowKey(),
    default="",
    help="Window of the turn, e.g. discord-thread/123; else the last turn of all windows.",
)
@asking_options
def why(about: str, **options: Any) -> None:
    """Explain the last turn: the memories in its prompt with their scores, and the best of the rest."""
    needs = "no agent runs here, and only a running agent knows the memories of its last turn"
    _MEMORY.tell("why", options, {"about": about, "window": OPERATOR}, needs_agent=needs)


@memory.command("off")
@click.argument("window", type=WindowKey(), metavar="WINDOW")
@asking_options
def switch_off(window: str, **options: Any) -> None:
    """Stop keeping messages of WINDOW, e.g. discord-channel/123; needs the running agent."""
    _SWITCH.tell("switch", options, {"window": window, "is_off": True}, needs_agent=_NEEDS_AGENT_TO_SWITCH)


@memory.command("on")
@click.argument("window", type=WindowKey(), metavar="WINDOW")
@asking_options
def switch_on(window: str, **options: Any) -> None:
    """Keep messages of WINDOW again; needs the running agent."""
    _SWITCH.tell("switch", options, {"window": window, "is_off": False}, needs_agent=_NEEDS_AGENT_TO_SWITCH)


@memory.command()
@asking_options
def stats(**options: Any) -> None:
    """Print counts of the index; the agent may run or not."""
    _MEMORY.tell("stats", options, {"window": OPERATOR})


@memory.command()
@asking_options
def rebuild(**options: Any) -> None:
    """Make the index anew from the logs; texts with an existing vector are not embedded again."""
    settings, _ = _MEMORY.settings(options)
    with progress_line() as say:
        report = _teller(say, settings.data_root / "logs")
        with _meanwhile(settings.data_root, report):
            rebuilt = _MEMORY.ask(
                "rebuild",
                options,
                {"window": OPERATOR},
                answer_s=REBUILD_S,
                locks="hold",
                missing="data root {}: there is no such folder, so there are no logs to index",
                look=lambda counts: report(counts.rows, counts.windows),
            )
    _MEMORY.show("rebuild", rebuilt, options)


def _verbs() -> Mapping[str, Verb]:
    from actors.memory.part import VERBS

    return {**VERBS}


def _specs(plan: Plan, verb: str) -> Iterable[ActorSpec]:
    """The memory, read-only except for a rebuild, and for a search the embedder."""
    from actors.embedder.part import embedder_spec
    from actors.memory.part import memory_spec

    if plan.embedding_problem:
        raise ValueError(plan.embedding_problem)
    embeds = verb in ("search", "me")
    memory = memory_spec(plan, read_only=verb != "rebuild", embeds=embeds)
    return (embedder_spec(plan), memory) if embeds else (memory,)


def _hint(settings: Settings) -> str:
    from actors.memory.checks import has_index

    return "" if has_index(settings.data_root) else playground_hint(settings.data_root, has_index)


_MEMORY = VerbClient("memory", _verbs, _specs, is_layer=False, hint=_hint)


def _switch_verbs() -> Mapping[str, Verb]:
    from actors.discord.part import VERBS

    return {**VERBS}


_SWITCH = VerbClient("memory", _switch_verbs, lambda _plan, _verb: (), is_layer=False)


def _teller(say: Say, logs: Path) -> Callable[[int, int], None]:
    """Progress report on the indexed turns and windows; a rebuild begins with an empty index."""
    windows = sum(1 for _ in logs.glob("*/*"))
    return lambda rows, done: say(f"{rows:,} turns of {done:,} windows are indexed", done, max(windows, done))


@contextmanager
def _meanwhile(data_root: Path, report: Callable[[int, int], None]) -> Iterator[None]:
    """Look into the running agent's index every half second, on the side."""
    from actors.part.alone import LOOK_EVERY_S
    from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator

    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOK_EVERY_S):
            with suppress(AgentNotRunningError, RefusalError):  # who asks for the rebuild hears that too
                stats = ask_operator(data_root, "memory.stats", window=OPERATOR)
                report(stats["rows"], stats["windows"])

    threading.Thread(target=look, name="progress", daemon=True).start()
    try:
        yield
    finally:
        over.set()
