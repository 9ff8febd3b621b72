"""Progress line: what a long command is at, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from actors.cli.terminal import overwrite_line

Say = Callable[[str], None]


@contextmanager
def progress_line() -> Iterator[Say]:
    """What shows one line on stderr, in place of the line before, and leaves none; it shows nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda _line: None
        return
    try:
        yield overwrite_line
    finally:
        overwrite_line("")


def tick(say: Say, text: str) -> Callable[[object], None]:
    """What says how far a campaign is, `text` with the number in the place of `%s`."""
    return lambda number: say(text % number)
