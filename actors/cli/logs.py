"""`agent logs`: view and verify logs."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from actors.cli.common import config_option, data_option, fail, json_option, load_settings, playground_hint
from actors.cli.terminal import NotShownError, echo_styled
from actors.cli.terminal.completion import WindowKey

if TYPE_CHECKING:
    from actors.context.log.follow import Line
    from domain.log.view import TakenOut

LOOK_EVERY_S = 0.5
_STYLES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"user": {"fg": "cyan", "bold": True}, "agent": {"fg": "green", "bold": True}}
)
PATHS = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.group()
def logs() -> None:
    """Print, follow or verify conversation logs."""


@logs.command()
@PATHS
def show(paths: tuple[Path, ...]) -> None:
    """Print logs for people, with control characters escaped. PATHs are logs, or folders of logs."""
    from domain.log.view import render

    for number, path in enumerate(_files(paths)):
        if number:
            click.echo()
        for line in render(_bytes(path)):
            click.echo(line)


@logs.command()
@PATHS
@json_option
def check(paths: tuple[Path, ...], as_json: bool) -> None:
    """Verify every record's length and the chain of hashes; exit 1 naming file, line and reason.

    PATHs are logs, or folders of logs. Forgotten words are no problem: each removal is printed with its requester,
    time and reason.
    """
    from msgspec import to_builtins

    from actors.context.log.file import findings_at
    from domain.log.parser import parse
    from domain.log.view import Takings

    files = list(_files(paths))
    problems, takings = [], Takings()
    for path in files:
        log = parse(_bytes(path))
        takings.add(log)
        report = findings_at(path, log)
        problems += [{"file": str(path), "line": each.line, "reason": each.reason} for each in report]
    gone = takings.list_all()
    if as_json:
        forgotten = [to_builtins(each) for each in gone]
        click.echo(json.dumps({"files": len(files), "problems": problems, "forgotten": forgotten}))
    else:
        for problem in problems:
            click.echo(f"{problem['file']}:{problem['line']}: {problem['reason']}", err=True)
        for each in gone:
            click.echo(f"forgotten: {_taking(each)}")
        click.echo(f"{len(files)} logs, {len(problems)} problems")
    sys.exit(1 if problems else 0)


@logs.command()
@click.argument("window", required=False, type=WindowKey())
@click.option("-n", "--lines", "count", type=click.IntRange(0, 10_000), default=20, show_default=True, help="Events.")
@click.option("-f", "--follow", is_flag=True, help="Follow new messages, until Ctrl-C.")
@data_option
@config_option
def tail(window: str | None, count: int, follow: bool, data: Path | None, config_file: Path | None) -> None:
    """Print the last messages of WINDOW, or of all windows; -f follows them across logs.

    WINDOW is a folder of logs, such as discord-thread/123456789012345678. The agent may run or not; nothing is changed.
    """
    from actors.context.log.follow import LogFollower
    from messages.base import Window

    settings, _ = load_settings(config_file, {"data_root": str(data.absolute())} if data else {})
    root = settings.data_root / "logs"
    try:
        chosen = None if window is None else Window.from_key(window)
        follower = LogFollower(root, chosen)
        lines = follower.last(count)
        if not lines and not follow:
            hint = playground_hint(settings.data_root, lambda root: (root / "logs").exists())
            fail(f"{root if window is None else root / window}: no messages{hint}")
        while True:
            for line in lines:
                _print_event(line, with_window=window is None)
            if not follow:
                return
            threading.Event().wait(LOOK_EVERY_S)
            lines = follower.more()
    except ValueError as error:
        fail(str(error))
    except (BrokenPipeError, NotShownError):  # what is printed finds no taker: the logs can be read
        raise
    except OSError as error:
        fail(f"{error.filename or root}: {error.strerror}")
    except KeyboardInterrupt:
        return


def _print_event(line: Line, *, with_window: bool) -> None:
    """Print an event: time, place and speaker, and below them the words."""
    from domain.log.event import Event

    place = f" {line.window.address.key}" if with_window else ""
    what = line.what
    if not isinstance(what, Event):
        echo_styled(f"line {what.line}{place}", f"  {what.length} bytes are not as written: {what.reason}", fg="red")
        return
    meta = what.meta_dict()
    who = str(meta.get("author") or meta.get("command") or "").split("\n")[0]
    head = f"{what.at:%Y-%m-%d %H:%M:%S}{place} {what.kind.value}"
    echo_styled(head, f" {who}".rstrip(), **_STYLES.get(what.kind.value, {"dim": True}))
    for text in what.content.split("\n") if what.content else ():
        click.echo(f"    {text}")


def _taking(gone: TakenOut) -> str:
    """Line on all the removals of a forget request."""
    from domain.log.escape import visible

    counted = f"{gone.events} events and {gone.quotations} quotations"
    if gone.at is None:
        return f"{counted}; these logs do not say who asked ({gone.forget_id or 'no room for an id'})"
    why = f": {visible(gone.why)}" if gone.why else ""
    return f"{counted} on {gone.at:%Y-%m-%d %H:%M} UTC, asked by {visible(gone.by)}{why} ({gone.forget_id})"


def _files(paths: tuple[Path, ...]) -> Iterator[Path]:
    from actors.context.log.root_folders import surface_faults

    for path in paths:
        if path.is_dir():
            if fault := next(surface_faults(path), ""):
                fail(fault)
            yield from sorted(path.rglob("*.md"))
        elif os.path.lexists(path):
            yield path
        else:
            fail(f"{path}: no such file or folder")


def _bytes(path: Path) -> bytes:
    from actors.linux.regular_file import read_regular

    try:
        return read_regular(path)
    except OSError as error:
        fail(f"{path}: {error.strerror}")
