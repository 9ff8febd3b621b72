"""Figures of the house's size and unity, one line each: `python -m tests.house_figures [--collect]`.

The definitions are the functions below. `--collect` also counts the tests and the CPU of collecting them, in a process
of its own.
"""

from __future__ import annotations

import ast
import re
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.test_imports import PACKAGES, ROOT, python_files

PENDING = re.compile(r"dict\[RequestId, (?:tuple\[)?[^\]]*(?:Future|Timer|Callable|Then)")
"""A table of questions that a module keeps for itself."""
TIMER_OF_A_QUESTION = re.compile(r"^class (\w*Overdue|StoreDue|ContributionsDue)\(", re.MULTILINE)
PATCH = re.compile(r"\bmonkeypatch\.setattr\(")
SQLITE = re.compile(r"\bapsw\.Connection\(")
PUBLIC = frozenset({"_asdict", "_current_frames", "_exit", "_fields", "_getframe", "_make", "_replace"})
"""Underscored names that are documented interfaces of Python: of `os`, of `sys`, and of named tuples."""
SUITE = tuple(python_files("tests"))


def lines_of(paths: Iterable[Path]) -> int:
    """Lines of files."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def sources() -> list[Path]:
    """Every Python file that is not a test."""
    return [*python_files(*PACKAGES), *sorted((ROOT / "skills").rglob("*.py")), ROOT / "setup.py"]


def modules_with(pattern: re.Pattern[str], *, outside: str = "") -> list[str]:
    """Modules of the product whose text holds a pattern."""
    named = ((path.relative_to(ROOT).as_posix(), path) for path in python_files("actors", "messages"))
    return [
        name for name, path in named if not (outside and name.startswith(outside)) and pattern.search(path.read_text())
    ]


def private_uses() -> int:
    """Accesses of tests to private attributes of objects other than their own."""
    return sum(
        isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in PUBLIC
        and not _is_own(node.value)
        for path in SUITE
        for node in ast.walk(ast.parse(path.read_text()))
    )


def _is_own(value: ast.expr) -> bool:
    """True for `self`, `cls` and `super()`, which is the same object."""
    name = value.func if isinstance(value, ast.Call) and not value.args else value
    return isinstance(name, ast.Name) and name.id in ("self", "cls", "super")


def room_of(module: str) -> str:
    """Room of a module: its first two names."""
    return ".".join(module.split(".")[:2])


def arrows() -> Mapping[str, set[str]]:
    """Room -> rooms that its modules import."""
    found: dict[str, set[str]] = {}
    for path in python_files(*PACKAGES):
        room = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
        tree = ast.parse(path.read_text())
        names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
        found.setdefault(room, set()).update(
            room_of(name) for name in names if name.split(".")[0] in PACKAGES and room_of(name) != room
        )
    return found


def circles() -> list[set[str]]:
    """Rooms that import one another, directly or by way of others."""
    graph = arrows()

    def reach(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for room in graph.get(todo.pop(), ()):
                if room not in seen:
                    seen.add(room)
                    todo.append(room)
        return seen

    reached = {room: reach(room) for room in graph}
    found = {
        frozenset({room} | {each for each in graph if each in reached[room] and room in reached[each]})
        for room in graph
    }
    return [set(circle) for circle in found if len(circle) > 1]


def collected() -> tuple[int, float]:
    """Number of tests, and seconds of CPU of collecting them in one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-P", "-m", "pytest", "--collect-only", "-q", "-p", "no:randomly", "-p", "no:xdist"]
    done = subprocess.run([*command, "-m", ""], cwd=ROOT, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    match = re.search(r"(\d+) tests collected", done.stdout)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(match[1]) if match else 0, seconds


def figures(*, collect: bool) -> Iterator[tuple[str, str]]:
    """(name, figure) of each line."""
    yield "lines of Python that are not tests", f"{lines_of(sources()):,}"
    yield "lines of tests", f"{lines_of(SUITE):,}"
    if collect:
        count, seconds = collected()
        yield "tests collected; CPU of collecting", f"{count:,}; {seconds:.1f} s"
    asking = modules_with(PENDING, outside="actors/kernel/")
    yield "modules with a table of open questions of their own", f"{len(asking)}: {', '.join(asking)}"
    timers = [name for path in python_files("messages") for name in TIMER_OF_A_QUESTION.findall(path.read_text())]
    yield "timer messages of questions", f"{len(timers)}: {', '.join(timers)}"
    openers = modules_with(SQLITE)
    yield "modules that open SQLite", f"{len(openers)}: {', '.join(openers)}"
    yield "circles of rooms", f"{len(circles())}: {'; '.join(', '.join(sorted(circle)) for circle in circles())}"
    texts = [path.read_text() for path in SUITE]
    yield "uses of monkeypatch.setattr", str(sum(len(PATCH.findall(text)) for text in texts))
    yield "uses of private attributes by tests", str(private_uses())


def main() -> None:
    """Print the table."""
    for name, figure in figures(collect="--collect" in sys.argv[1:]):
        sys.stdout.write(f"{name:52} {figure}\n")


if __name__ == "__main__":
    main()
