"""`agent memory`: search the index, explain the last injection, count, rebuild."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actors.cli.common import config_option, data_option, fail, json_option, load_settings, playground_hint
from actors.cli.curated import curated
from actors.cli.facts import add, forget, list_, search_facts
from actors.cli.operator import ANSWER_S, OPERATOR, Answer, running
from actors.cli.terminal.completion import WindowKey
from actors.cli.terminal.progress import Say, progress_line
from domain.text.terminal_text import plain

if TYPE_CHECKING:
    from actors.settings.schema import Settings

REBUILD_S = 86_400.0
C = TypeVar("C", bound=Callable[..., None])


def _options(command: C) -> C:
    """Add the options that all of these commands take."""
    return config_option(data_option(json_option(command)))


@click.group()
def memory() -> None:
    """Look into what is remembered: everything that was ever said, indexed from the logs."""


memory.add_command(curated)
for facts_command in (add, list_, forget):
    memory.add_command(facts_command)


@memory.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="Most memories to show.")
@click.option(
    "--window",
    "window",
    type=WindowKey(),
    default=OPERATOR,
    help="Only what may be shown there, e.g. discord-thread/123; needs the running agent.",
)
@click.option("--memory-id", default="", help="Search the facts of this conversation of the gateway instead.")
@_options
def search(query: tuple[str, ...], limit: int, window: str, memory_id: str, **options: Any) -> None:
    """Find what bears on QUERY, best first; the agent may run or not."""
    from messages.base import Window
    from messages.memory import SearchMemory

    try:
        Window.from_key(window)
    except ValueError as error:
        fail(str(error))
    text = " ".join(query)
    if not text.strip():
        fail("QUERY is blank")
    if memory_id:
        search_facts(text, memory_id, limit, options)
        return
    settings, secrets = _settings(options["config_file"], options["data"])
    results = running(settings, "memory.search", query=text, limit=limit, window=window)
    if results is None:
        if window != OPERATOR:
            fail("--window needs the running agent: it knows who reads which window")
        results = _alone(settings, secrets, SearchMemory, embeds=True, query=text, limit=limit)
    _show(results, options["as_json"], _found_lines)


@memory.command()
@click.option(
    "--window",
    "about",
    type=WindowKey(),
    default="",
    help="Which window's last turn, e.g. discord-thread/123; else the last.",
)
@_options
def why(about: str, config_file: Path | None, data: Path | None, as_json: bool) -> None:
    """Explain the last turn: each memory that it was given, with its scores, and the best that it was not."""
    settings, _ = _settings(config_file, data)
    explained = running(settings, "memory.why", about=about, window=OPERATOR)
    if explained is None:
        fail("no agent is running here, and only a running one knows what its last turn was given")
    _show(explained, as_json, _why_lines)


@memory.command()
@_options
def stats(config_file: Path | None, data: Path | None, as_json: bool) -> None:
    """Count what is indexed; the agent may run or not."""
    from messages.memory import DescribeMemory

    settings, secrets = _settings(config_file, data)
    figures = running(settings, "memory.stats", window=OPERATOR)
    if figures is None:
        figures = _alone(settings, secrets, DescribeMemory)
    _show(figures, as_json, _figure_lines)


@memory.command()
@_options
def rebuild(config_file: Path | None, data: Path | None, as_json: bool) -> None:
    """Make the index anew from the logs; texts that have a vector already are not embedded again."""
    settings, secrets = _settings(config_file, data)
    with progress_line() as say:
        told = _teller(say, settings.data_root / "logs")
        with _meanwhile(settings.data_root, told):
            rebuilt = running(settings, "memory.rebuild", REBUILD_S, window=OPERATOR)
        if rebuilt is None:
            rebuilt = _rebuilt_alone(settings, secrets, told)
    _show(rebuilt, as_json, _rebuilt_lines)


def _settings(config_file: Path | None, data: Path | None) -> tuple[Settings, Mapping[str, str]]:
    settings, secrets = load_settings(config_file, {"data_root": str(data.absolute())} if data else {})
    return settings, secrets.environment()


def _alone(
    settings: Settings,
    secrets: Mapping[str, str],
    command: Any,
    answer_s: float = ANSWER_S,
    *,
    read_only: bool = True,
    embeds: bool = False,
    **fields: object,
) -> Answer:
    """Answer of the index without a running agent; if `read_only`, the data root is not changed."""
    from actors.bootstrap import agent_plan
    from actors.context.log.data_root import DataRootError
    from actors.embedder.part import embedder_spec
    from actors.kernel import ActorSystem
    from actors.memory.part import memory_spec
    from actors.memory.upkeep.alone import INDEX, alone

    system = ActorSystem(workers=2)
    plan = agent_plan(settings, secrets, system, None)
    if plan.embedding_problem:
        fail(plan.embedding_problem)
    embedder = (embedder_spec(plan),) if embeds else ()
    try:
        with alone(system, *embedder, memory_spec(plan, read_only=read_only, embeds=embeds)) as ask:
            answer = ask(command, answer_s, **fields)
    except DataRootError as error:
        fail(str(error))
    except TimeoutError:
        fail(f"the memory did not answer within {answer_s:g} s")
    hint = "" if (settings.data_root / INDEX).exists() else playground_hint(settings.data_root, INDEX)
    return _result(answer, hint)


def _teller(say: Say, logs: Path) -> Callable[[int, int], None]:
    """Progress report on the indexed turns and windows; a rebuild begins with an empty index."""
    windows = sum(1 for _ in logs.glob("*/*"))
    return lambda rows, done: say(f"{rows:,} turns of {done:,} windows are indexed", done, max(windows, done))


@contextmanager
def _meanwhile(data_root: Path, told: Callable[[int, int], None]) -> Iterator[None]:
    """Look into the running agent's index every half second, on the side."""
    from actors.memory.upkeep.alone import LOOK_EVERY_S
    from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator

    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOK_EVERY_S):
            with suppress(AgentNotRunningError, RefusalError):  # who asks for the rebuild hears that too
                stats = ask_operator(data_root, "memory.stats", window=OPERATOR)
                told(stats["rows"], stats["windows"])

    threading.Thread(target=look, name="progress", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _rebuilt_alone(settings: Settings, secrets: Mapping[str, str], told: Callable[[int, int], None]) -> Answer:
    from actors.context.log.data_root import DataRoot, DataRootError
    from messages.memory import RebuildMemory

    root = DataRoot(settings.data_root)
    if not root.path.is_dir():
        fail(f"data root {root.path}: there is no such folder, so there are no logs to make an index from")
    try:
        root.hold()
    except DataRootError as error:
        fail(str(error))
    try:
        return _alone(
            settings,
            secrets,
            RebuildMemory,
            REBUILD_S,
            read_only=False,
            meanwhile=lambda described: told(described.rows, described.windows),
        )
    finally:
        root.release()


def _result(answer: Any, hint: str) -> Answer:
    """A message as JSON says it, as a door does."""
    import msgspec

    from messages.socket import Refused

    if isinstance(answer, Refused):
        fail(f"{answer.reason}{hint}")
    fields: dict[str, Any] = msgspec.to_builtins(answer)
    return {name: value for name, value in fields.items() if name not in ("type", "request_id")}


def _show(answer: Answer, as_json: bool, lines: Callable[[Answer], list[str]]) -> None:
    if as_json:
        click.echo(json.dumps(answer, ensure_ascii=False))
        return
    for line in lines(answer):
        click.echo(line)


def _found_lines(answer: Answer) -> list[str]:
    lines = [line for number, each in enumerate(answer["memories"], 1) for line in _memory_lines(number, each)]
    return [*(lines or ["nothing was found"]), *([f"note: {_text(answer['note'])}"] if answer["note"] else [])]


def _memory_lines(number: int, each: Answer) -> list[str]:
    pin = " pinned" if each["pinned"] else ""
    parts = f"similarity {each['similarity']:.3f}, recency {each['recency']:.3f}, repetition {each['repetition']:.3f}"
    return [
        f"{number:3}  {each['at'][:16].replace('T', ' ')} {_text(each['author'])} in {each['window']}{pin}",
        f"     {_text(each['excerpt'])}",
        f"     score {each['score']:.4f} ({parts}; search {each['search_score']:.3f})",
        f"     path={each['path']} line={each['line']}",
    ]


def _figure_lines(answer: Answer) -> list[str]:
    return [f"{name.replace('_', ' '):16} {_text(value)}" for name, value in answer.items()]


def _why_lines(answer: Answer) -> list[str]:
    head = (
        f"turn {answer['turn_id']} in {answer['window']}: {len(answer['injected'])} memories, "
        f"{answer['block_tokens']} of {answer['budget_tokens']} tokens; "
        f"{answer['search']} search, {answer['candidates']} ranked, {answer['took_ms']:g} ms"
    )
    lines = [head, *([f"note: {_text(answer['note'])}"] if answer["note"] else []), "", "given"]
    for number, each in enumerate(answer["injected"], 1):
        lines += _memory_lines(number, each)
    lines += ["", "not given, best first"]
    for number, each in enumerate(answer["rejected"], 1):
        lines += _memory_lines(number, each)
    return lines


def _rebuilt_lines(answer: Answer) -> list[str]:
    lines = [f"{answer['rows']} turns indexed in {answer['seconds']:g} s"]
    if answer["pending"]:
        lines.append(f"{answer['pending']} of them wait for their vectors; the running agent has them made")
    return lines


def _text(value: object) -> str:
    return " ".join(plain(str(value)).split())
