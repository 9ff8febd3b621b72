"""`agent status`: how the running agent is, told by itself through its control socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from actors.cli.common import config_option, fail, json_option, load_settings, playground_hint
from actors.cli.terminal import echo_styled
from domain.text.terminal_text import plain

COUNTS = ("crashes", "restarts", "stuck", "dead_letters")


@click.command()
@config_option
@click.option("--data", type=click.Path(path_type=Path), help="Data root, when it is not the one of the settings.")
@json_option
def status(config_file: Path | None, data: Path | None, as_json: bool) -> None:
    """Show what the running agent's actors are doing; exit 1 when none is running."""
    from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator

    settings, _ = load_settings(config_file, {"data_root": str(data.absolute())} if data else {})
    try:
        report = ask_operator(settings.data_root, "status")
    except AgentNotRunningError as error:
        fail(f"{error}{playground_hint(settings.data_root, 'agent.sock')}")
    except RefusalError as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(report, indent=2))
        return
    for name, value in _rows(report):
        echo_styled(f"{name:{_width(report)}}", f"  {value}", bold=True)


def _rows(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What to print, line by line."""
    system = report["system"]
    rows = [
        ("up", f"{_span(system.get('uptime_s', 0))}, {system.get('windows_in_memory', 0)} windows in memory"),
        ("actors", _pairs(system.get("actors", {}))),
        ("mailboxes", _mailboxes(system)),
        ("waits", _waits(system.get("waits", {}))),
        ("not answering", ", ".join(map(plain, system.get("not_answering", ()))) or "none"),
        *((name.replace("_", " "), _pairs(system.get(name, {}))) for name in COUNTS),
        *((name, _pairs(figures)) for name, figures in report["actors"].items()),
    ]
    if report["late"]:
        rows.append(("no answer", ", ".join(report["late"])))
    return rows


def _width(report: Mapping[str, Any]) -> int:
    return max(len(name) for name, _ in _rows(report))


def _mailboxes(system: Mapping[str, Any]) -> str:
    waiting = system.get("messages_waiting", 0)
    return f"{waiting} messages wait: {_pairs(system['fullest_mailboxes'])}" if waiting else "empty"


def _waits(waits: Mapping[str, int]) -> str:
    """How many handlers wait for the disk, of how many that may at once."""
    put_off = f", {waits['put_off']} put off" if waits.get("put_off") else ""
    return f"{waits.get('now', 0)} of at most {waits.get('limit', 0)}{put_off}"


def _pairs(figures: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_on_one_line(value)}" for name, value in figures.items()) or "none"


def _on_one_line(value: object) -> str:
    return " ".join(plain(str(value)).split())


def _span(seconds: int) -> str:
    """Seconds as the two largest units say them."""
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, seconds = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (seconds, "s")]
    first = next((index for index, (count, _) in enumerate(parts) if count), 3)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2])
