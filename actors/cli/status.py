"""`agent status`: state of the running agent, by its own report; `agent usage`: usage of model calls."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actors.cli.common import config_option, fail, json_option, load_settings, playground_hint
from actors.cli.terminal import echo_styled, on_one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

Report = Mapping[str, Any]
EVERY_S = 1.0
COUNTS = ("crashes", "restarts", "stuck", "dead_letters")


@click.command()
@config_option
@click.option("--data", type=click.Path(path_type=Path), help="Data root, if not the configured one.")
@click.option("-w", "--watch", is_flag=True, help="Refresh every second, until q is pressed.")
@json_option
def status(config_file: Path | None, data: Path | None, watch: bool, as_json: bool) -> None:
    """Show the running agent's actors and their work; exit 1 when no agent is running.

    With --watch, space pauses the display and q ends it. Without a terminal, a report is printed every second.
    """
    settings, _ = load_settings(config_file, {"data_root": str(data.absolute())} if data else {})
    if watch:
        _watch(settings.data_root, as_json=as_json)
        return
    _print(_report(settings.data_root), as_json=as_json)


def _report(data_root: Path) -> Report:
    """Report of the running agent; ends the command without a running agent."""
    from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator

    try:
        return ask_operator(data_root, "status")
    except AgentNotRunningError as error:
        fail(f"{error}{playground_hint(data_root, lambda root: (root / 'agent.sock').exists())}")
    except RefusalError as error:
        fail(str(error))


def _print(report: Report, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report, indent=2))
        return
    for name, value in _rows(report):
        echo_styled(f"{name:{_width(report)}}", f"  {value}", bold=True)


def _watch(data_root: Path, *, as_json: bool) -> None:
    from actors.cli.terminal.screen import can_draw, show_live

    if can_draw() and not as_json:
        show_live(lambda: _draw(_report(data_root)), EVERY_S)
        return
    pause = threading.Event()
    try:
        while True:
            _print(_report(data_root), as_json=as_json)
            click.echo()
            pause.wait(EVERY_S)
    except KeyboardInterrupt:
        return


def _draw(report: Report) -> RenderableType:
    """The report as a screen: the totals, and a row for each kind of actor."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    system = report["system"]
    table = Table(box=None, padding=(0, 2, 0, 0), expand=True)
    for heading in ("actor", "alive", "waiting", "crashed", "started again"):
        table.add_column(heading, justify="left" if heading == "actor" else "right", no_wrap=True)
    table.add_column("says", ratio=1, overflow="ellipsis", no_wrap=True)
    for kind, alive in system.get("actors", {}).items():
        crashed = _of_kind(system.get("crashes", {}), kind)
        counts = (alive, _of_kind(system.get("fullest_mailboxes", {}), kind), crashed)
        cells = [Text(f"{count:,}", style="" if count else "dim") for count in counts]
        cells[-1].stylize("bold red" if crashed else "dim")
        again = _of_kind(system.get("restarts", {}), kind)
        says = Text(_pairs(report["actors"].get(kind, {})) if kind in report["actors"] else "", style="dim")
        table.add_row(Text(kind, style="bold"), *cells, Text(f"{again:,}", style="" if again else "dim"), says)
    rows = [Text(f"{name:14}  {value}") for name, value in _rows(report) if name not in (*report["actors"], "actors")]
    keys = Text("q ends, space pauses", style="dim")
    return Group(*rows, Text(), table, Text(), keys)


def _of_kind(counts: Mapping[str, int], kind: str) -> int:
    """Sum over all addresses of a kind: `kind` or `kind:key`."""
    return sum(count for address, count in counts.items() if re.split(r"\W", address, maxsplit=1)[0] == kind)


def _rows(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Rows to print."""
    system = report["system"]
    rows = [
        ("up", f"{_span(system.get('uptime_s', 0))}, {system.get('windows_in_memory', 0)} windows in memory"),
        ("actors", _pairs(system.get("actors", {}))),
        ("mailboxes", _mailboxes(system)),
        ("at work", _at_work(system)),
        ("waits", _waits(system.get("waits", {}))),
        ("not answering", ", ".join(map(on_one_line, system.get("not_answering", ()))) or "none"),
        *((name.replace("_", " "), _pairs(system.get(name, {}))) for name in COUNTS),
        *((name, _pairs(figures)) for name, figures in report["actors"].items()),
    ]
    if report["late"]:
        rows.append(("no answer", ", ".join(map(on_one_line, report["late"]))))
    return rows


def _width(report: Mapping[str, Any]) -> int:
    return max(len(name) for name, _ in _rows(report))


def _mailboxes(system: Mapping[str, Any]) -> str:
    waiting = system.get("messages_waiting", 0)
    return f"{waiting} messages wait: {_pairs(system['fullest_mailboxes'])}" if waiting else "empty"


def _at_work(system: Mapping[str, Any]) -> str:
    """Actors with work, question or message; "nothing" for an idle agent."""
    count, named = system.get("at_work", 0), system.get("some_at_work", ())
    more = f" and {count - len(named):,} more" if count > len(named) else ""
    return ", ".join(map(on_one_line, named)) + more if count else "nothing"


def _waits(waits: Mapping[str, int]) -> str:
    """Number of handlers that wait for the disk, with the limit of concurrent waits."""
    put_off = f", {waits['put_off']} put off" if waits.get("put_off") else ""
    return f"{waits.get('now', 0)} of at most {waits.get('limit', 0)}{put_off}"


def _pairs(figures: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {on_one_line(str(value))}" for name, value in figures.items()) or "none"


def _span(seconds: int) -> str:
    """Seconds in the two largest units."""
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, seconds = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (seconds, "s")]
    first = next((index for index, (count, _) in enumerate(parts) if count), 3)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2])
