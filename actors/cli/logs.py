"""`agent logs`: look into logs, and verify them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from actors.cli.common import fail, json_option

PATHS = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.group()
def logs() -> None:
    """Print or verify conversation logs; PATHs are files, or folders of them."""


@logs.command()
@PATHS
def show(paths: tuple[Path, ...]) -> None:
    """Print logs for people; what could disturb a terminal is shown escaped."""
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
    """Verify every record's length and the chain of hashes; exit 1 naming file, line and reason."""
    from actors.context.log.file import check_file

    files = list(_files(paths))
    problems = []
    for path in files:
        try:
            report = check_file(path)
        except OSError as error:
            fail(f"{path}: {error.strerror}")
        problems += [{"file": str(path), "line": each.line, "reason": each.reason} for each in report]
    if as_json:
        click.echo(json.dumps({"files": len(files), "problems": problems}))
    else:
        for problem in problems:
            click.echo(f"{problem['file']}:{problem['line']}: {problem['reason']}", err=True)
        click.echo(f"{len(files)} logs, {len(problems)} problems")
    sys.exit(1 if problems else 0)


def _files(paths: tuple[Path, ...]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.md"))
        elif path.exists():
            yield path
        else:
            fail(f"{path}: no such file or folder")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        fail(f"{path}: {error.strerror}")
