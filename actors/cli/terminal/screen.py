"""Screen of a terminal, redrawn by a command until the user presses `q`; the earlier screen is then restored."""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from actors.cli.terminal.streams import own_stream

if TYPE_CHECKING:
    from rich.console import RenderableType

END_KEYS = frozenset("qQ\x1b\x03\x04")
PAUSE_KEY = " "
_MOST_KEYS = 64
LOOK_S = 0.2
"""Seconds until a key, or a new size of the terminal, is noticed."""


def can_draw() -> bool:
    """True if stdin and stdout are a terminal for drawing."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def show_live(draw: Callable[[], RenderableType], every_s: float) -> None:
    """Show the output of `draw` every `every_s` seconds until `q`, Escape or Ctrl-C; space pauses the display.

    The output goes to the terminal's alternate screen, in a single write, to avoid flicker.
    """
    from rich.console import Console
    from rich.live import Live

    console = Console(file=own_stream(sys.stdout), highlight=False, markup=False)
    drawn, is_held = draw(), False
    with _keys() as keys, Live(drawn, console=console, screen=True, auto_refresh=False) as live:
        size, looks = console.size, 0
        live.refresh()
        while END_KEYS.isdisjoint(pressed := keys(LOOK_S)):
            is_held ^= pressed.count(PAUSE_KEY) % 2 == 1
            looks += 1
            is_due = not is_held and looks * LOOK_S >= every_s
            if is_due:
                drawn, looks = draw(), 0
            if is_due or console.size != size:
                size = console.size
                live.update(drawn, refresh=True)


@contextlib.contextmanager
def _keys() -> Iterator[Callable[[float], str]]:
    """Reader of the keys pressed within some seconds, without an echo meanwhile."""
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)

    def read_keys(within_s: float) -> str:
        ready, _, _ = select.select([fd], [], [], within_s)
        if not ready:
            return ""
        keys = os.read(fd, _MOST_KEYS).decode(errors="replace") or "\x04"
        return keys if keys == "\x1b" else re.sub("\x1b.[^a-zA-Z~]*.?", "", keys)  # an arrow is no Escape

    try:
        tty.setcbreak(fd)
        yield read_keys
    except KeyboardInterrupt:
        return
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
