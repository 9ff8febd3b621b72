"""Sync call: a place in the product at which data or a name is made safe from a power loss, and the source without it.

The calls are found in the syntax tree, so that a new one cannot be forgotten: names of the disk's and of what syncs
through it, keywords that ask for durability, and SQLite's setting.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tests.guards.guard import ROOT

ROOMS = ("actors", "domain", "messages", "skills")
NAMES = frozenset(
    {
        *("fsync", "fdatasync", "sync", "syncfs", "msync", "sync_folder", "sync_all"),
        *("make_durable", "make_folders", "_sync_file", "_sync_folder", "_sync_folders"),
    }
)
"""Functions that return when data or a name is safe."""
WHOLE = frozenset({"put_whole", "put_secret"})
"""Functions that sync unless `is_durable=False` stands there."""
WRITE_ALL = "write_all"
FLAGS = frozenset({"is_durable", "sync"})
PRAGMA = "synchronous = normal"
OTHERS = {
    "actors/discord/connection/client.py": "on_ready: Discord's list of commands",
    "actors/shell/sandbox/watcher/supervisor.py": "a descriptor of bubblewrap's",
}
"""File -> meaning of the word there, which is no sync of a disk."""


@dataclass(frozen=True, slots=True)
class SyncCall:
    """One sync call of the product; a `Guard` for `run.py`."""

    file: str
    place: str
    """Function and number of the call there: `Notebook.append#1`."""
    begin: int
    """Of what is replaced, in bytes."""
    end: int
    instead: str
    test: str = ""
    """Test that must fall: file below `tests/`, and the function's name."""

    @property
    def test_id(self) -> str:
        """The test as pytest names it."""
        return f"tests/{self.test}"

    @property
    def title(self) -> str:
        """The call on one line."""
        return f"{self.file}: {self.place}"

    def text(self) -> str:
        """Text of the file."""
        return (ROOT / self.file).read_text(encoding="utf-8")

    def without(self, text: str) -> str:
        """Text of the file without the sync."""
        data = text.encode()
        return (data[: self.begin] + self.instead.encode() + data[self.end :]).decode()


def all_sync_calls() -> Iterator[SyncCall]:
    """Every sync call of the product, without a test."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            if file not in OTHERS:
                yield from sync_calls(file, path.read_text(encoding="utf-8"))


def sync_calls(file: str, text: str) -> Iterator[SyncCall]:
    """Sync calls of one module, in order."""
    numbers = Counter[str]()
    for scope, node, instead in sorted(_Finder(text).syncs(), key=lambda each: (each[1].lineno, each[1].col_offset)):
        numbers[scope] += 1
        lines = text.encode().splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        yield SyncCall(file, f"{scope}#{numbers[scope]}", begin, end, instead)


class _Finder:
    """Finder of syncs in one module."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._called: set[int] = set()

    def syncs(self) -> Iterator[tuple[str, ast.expr, str]]:
        """(scope, node, text without the sync) of each."""
        yield from self._walk(ast.parse(self._text), "")

    def _walk(self, node: ast.AST, scope: str) -> Iterator[tuple[str, ast.expr, str]]:
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
            inner = f"{scope}.{child.name}".lstrip(".") if named else scope  # type: ignore[attr-defined]
            if isinstance(child, ast.expr) and (sync := self._sync(child)) is not None:
                yield (scope or "module", *sync)
            yield from self._walk(child, inner)

    def _sync(self, node: ast.expr) -> tuple[ast.expr, str] | None:
        match node:
            case ast.Call():
                self._called.add(id(node.func))
                return self._sync_of_call(node)
            case ast.Attribute(ctx=ast.Load()) | ast.Name(id="write_all") if id(node) not in self._called:
                return (node, "(lambda *_: None)") if _name(node) in NAMES | {WRITE_ALL} else None
            case ast.Constant(value=str(value)) if value == PRAGMA:
                return node, '"synchronous = off"'
            case _:
                return None

    def _sync_of_call(self, node: ast.Call) -> tuple[ast.expr, str] | None:
        name = _name(node.func)
        for keyword in node.keywords:
            if keyword.arg in FLAGS:
                is_off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
                return None if is_off else (keyword.value, "False")
        if name in NAMES:
            return node, "None"
        if name == WRITE_ALL:
            disk, fd, data = map(self._source, node.args)
            return node, f"{disk}.write({fd}, {data})"
        if name in WHOLE:
            shown = self._source(node).removesuffix(")").rstrip(", \n")
            return node, f"{shown}, is_durable=False)"
        return None

    def _source(self, node: ast.expr) -> str:
        return ast.get_source_segment(self._text, node) or ""


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
