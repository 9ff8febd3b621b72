"""Progress of a long command: a line, with a bar if the end is known, on a terminal only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

from actors.cli.terminal.streams import on_one_line, own_stream

if TYPE_CHECKING:
    from rich.progress import Progress


class Say(Protocol):
    """Shows the current work of a command."""

    def __call__(self, text: str, done: int = 0, total: int = 0, /) -> None:
        """Show `text`, and `done` of `total` as a bar; a total of 0 means unknown."""


@contextmanager
def progress_line(stream: TextIO | None = None) -> Iterator[Say]:
    """Display of a line on a stream, replaced by each next line and removed at the end; silent in a pipe.

    With a known total a line has a bar and the estimated time left, otherwise a moving mark. The
    stream is stderr by default.
    """
    stream = stream or sys.stderr
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield _say_nothing
        return
    with _bar(stream) as bar:
        task = bar.add_task("", total=None)

        def say(text: str, done: int = 0, total: int = 0, /) -> None:
            bar.update(task, description=on_one_line(text), completed=done, total=total or None)

        yield say


def tick(say: Say, text: str, total: int = 0) -> Callable[[object], None]:
    """Report of a campaign's progress, `text` with the number in the place of `%s`."""
    return lambda number: say(text % number, number if isinstance(number, int) else 0, total)


def _say_nothing(_text: str, _done: int = 0, _total: int = 0, /) -> None:
    """Say nothing, without a terminal."""


def _bar(stream: TextIO) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column

    return Progress(
        SpinnerColumn(),
        BarColumn(bar_width=24),
        TextColumn("{task.description}", markup=False, table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
        TimeRemainingColumn(compact=True),
        console=Console(file=own_stream(stream), highlight=False, markup=False),
        transient=True,
        expand=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
