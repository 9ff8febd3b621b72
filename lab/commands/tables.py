"""Tables on the terminal, without colours: what a table says is no reason to let escape sequences through."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 100


def print_tables(*parts: RenderableType) -> None:
    """Print tables and lines, as wide as the terminal is, but at most `WIDTH`."""
    from rich.console import Console

    width = min(WIDTH, Console().width) if sys.stdout.isatty() else WIDTH
    console = Console(width=width, highlight=False, markup=False, color_system=None)
    for part in parts:
        console.print(part)
