"""Trees of all modules of the runtime, parsed once for all tests of this folder."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
RUNTIME = ("actors", "domain", "messages")


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    """Path from the checkout, and tree, of every module of the runtime."""
    return tuple(
        (path.relative_to(CHECKOUT).as_posix(), ast.parse(path.read_text("utf-8")))
        for room in RUNTIME
        for path in sorted((CHECKOUT / room).rglob("*.py"))
    )
