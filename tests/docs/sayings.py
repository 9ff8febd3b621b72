"""Sayings: all texts that the program can print, as its source has them, and whether a page's quotation is one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs.prose import ROOT, lines_outside_code

HEAD = "| it says "
"""How a table begins whose first column quotes what is printed."""
_FOLDERS = ("actors", "domain", "lab/playground", "messages")
_SCRIPTS = "bin/*"
_PAGES = ("actors/observer/page/*.js", "lab/playground/page/*.js")
_COMMAND = "bin/"
"""How something begins in the first column that is typed, and not printed."""
_PLACE = "\0"
"""In a text of the source: something that is put in."""
_PUT_IN = re.compile(r"%[-+0-9.]*[sdrgf]|\{[^{}]*\}")
_IN_SCRIPT = re.compile(r'"([^"\n]*)"')
_QUOTED = re.compile(r"`([^`]+)`|(?<!\*)\*([^*`]+)\*(?!\*)")
_LEAST = 10
"""Characters that a quotation must have besides what it leaves open, or it would be found anywhere."""


@cache
def texts() -> tuple[str, ...]:
    """Every text of the source, each as long as it is written in one piece, with a mark for what is put in."""
    files = [path for folder in _FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    files += [path for path in sorted(ROOT.glob(_SCRIPTS)) if path.is_file()]
    pages = (path.read_text("utf-8") for pattern in _PAGES for path in sorted(ROOT.glob(pattern)))
    shown = {_spaced(text) for page in pages for text in _IN_SCRIPT.findall(page)}
    return tuple({text for path in files for text in _texts_of(path)} | shown)


def quotations(page: str) -> Iterator[tuple[int, str]]:
    """(line, quotation) of all that a page's tables say is printed."""
    is_quoting = False
    for number, line in lines_outside_code(page):
        is_quoting = line.startswith(HEAD) or (is_quoting and line.startswith("|"))
        if is_quoting and not line.startswith((HEAD, "|--")):
            cell = line.split(" | ")[0]
            for ticked, slanted in _QUOTED.findall(cell):
                if not ticked.startswith(_COMMAND):
                    yield number, ticked or slanted


def is_printed(quotation: str) -> bool:
    """Whether the source has this text; `…` in it stands for anything.

    Raises:
        ValueError: so little of it is fixed that it says nothing.
    """
    parts = [part.strip() for part in quotation.split("…") if part.strip()]
    if sum(map(len, parts)) < _LEAST:
        raise ValueError(f"{quotation!r}: at least {_LEAST} characters must be those that are printed")
    pattern = re.compile(".*".join(map(re.escape, parts)), re.DOTALL)
    return any(pattern.search(text) for text in texts())


def _texts_of(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    if path.suffix != ".py" and "python" not in text.partition("\n")[0]:
        return
    tree = ast.parse(text)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings are not printed
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else _PLACE for part in node.values)
            yield _spaced("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield _spaced(_PUT_IN.sub(_PLACE, node.value))


def _spaced(text: str) -> str:
    return " ".join(text.split())
