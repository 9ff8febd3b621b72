"""Chart of the requirements: rows of `rows.txt`, lines of `choices.md`, and the tests that are marked with ids."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROWS = Path(__file__).parent / "rows.txt"
CHOICES = Path(__file__).parent / "choices.md"
DECISIONS = "where the specification leaves a choice"
"""End of the heading in `choices.md` below which each decision is a line."""
_ID = re.compile(r"(S[0-4]|C|X)-[0-9]{2,3}[a-h]?")
_DECISION = re.compile(r"- \*\*(X-[0-9]{2,3})\*\* (.+)")


class State(StrEnum):
    """State of a requirement."""

    WORKS = "works"
    DECIDED = "decided otherwise"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Row:
    """One requirement."""

    id: str
    words: str
    """What it asks for, in our words; of a choice that the source leaves, what was chosen."""
    state: State
    reason: str = ""
    """Why it was decided otherwise, or what is missing."""


class RowError(ValueError):
    """A line of the rows that cannot be read."""


def rows() -> tuple[Row, ...]:
    """Every requirement, in the order of the sources; a choice of ours comes last.

    Raises:
        RowError: a line is none, or an id comes twice.
    """
    lines = (line for line in ROWS.read_text("utf-8").splitlines() if line and not line.startswith("#"))
    found = (*(parsed(line) for line in lines), *decisions(CHOICES.read_text("utf-8")))
    ids = [row.id for row in found]
    if twice := sorted({each for each in ids if ids.count(each) > 1}):
        raise RowError(f"{', '.join(twice)}: stands on more than one line")
    return found


def parsed(line: str) -> Row:
    """The requirement that a line of `rows.txt` states.

    Raises:
        RowError: it states none.
    """
    row_id, *rest = line.split(" | ")
    match rest:
        case [words] if _ID.fullmatch(row_id):
            return Row(row_id, words, State.WORKS)
        case [words, "decided", reason] if _ID.fullmatch(row_id):
            return Row(row_id, words, State.DECIDED, reason)
        case [words, "open", reason] if _ID.fullmatch(row_id):
            return Row(row_id, words, State.OPEN, reason)
        case _:
            raise RowError(f"{line!r}: must be `id | words`, or `id | words | decided or open | reason`")


def decisions(page: str) -> Iterator[Row]:
    """Decisions of `choices.md` on questions that the source leaves open or answers in two ways.

    Args:
        page: Its text.
    """
    section = page.partition(f": {DECISIONS}\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        if (match := _DECISION.fullmatch(line)) is not None:
            yield Row(match[1], match[2], State.WORKS)


class MarkError(ValueError):
    """A mark that cannot be read."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A test that is marked with ids."""

    file: str
    """From the folder of the tests."""
    name: str
    ids: tuple[str, ...]


@cache
def holders() -> tuple[Holder, ...]:
    """Every marked test, in the order of files and lines."""
    files = (file for file in sorted(TESTS.rglob("test_*.py")) if b"mark.req" in file.read_bytes())
    return tuple(
        holder
        for file in files
        for holder in marked(file.relative_to(TESTS).as_posix(), ast.parse(file.read_text("utf-8")))
    )


def marked(file: str, tree: ast.Module) -> Iterator[Holder]:
    """The tests of one file that are marked with ids.

    Raises:
        MarkError: a mark stands where it holds nothing that is read here, or names an id in other than plain words.
    """
    read = 0
    for function in _tests(tree.body):
        marks = [mark for decorator in function.decorator_list if (mark := _ids(decorator)) is not None]
        read += len(marks)
        if marks:
            yield Holder(file, function.name, tuple(row_id for ids in marks for row_id in ids))
    all_marks = sum(
        isinstance(node, ast.Attribute) and node.attr == "req" and _is_mark(node) for node in ast.walk(tree)
    )
    if all_marks != read:
        raise MarkError(f"{file}: `req` belongs above a test of the module's, or of a class of tests, with plain ids")


def _tests(body: Iterable[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """What pytest takes for a test: functions at the top and in classes, not those within others."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _tests(node.body)


def _is_mark(node: ast.Attribute) -> bool:
    return ast.unparse(node.value).rpartition(".")[2] == "mark"


def _ids(decorator: ast.expr) -> list[str] | None:
    """The ids of a mark; None for another decorator, or one that is not in plain words."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.req" or decorator.keywords:
        return None
    ids = [each.value for each in decorator.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return ids if ids and len(ids) == len(decorator.args) else None


def held_by() -> Mapping[str, tuple[Holder, ...]]:
    """Id -> the tests that hold it."""
    found: defaultdict[str, list[Holder]] = defaultdict(list)
    for holder in holders():
        for row_id in holder.ids:
            found[row_id].append(holder)
    return {row_id: tuple(each) for row_id, each in found.items()}


def counts() -> str:
    """How many requirements there are of each state, and what has no test, on one line."""
    all_rows, tested = rows(), held_by()
    states = ", ".join(f"{sum(row.state is state for row in all_rows)} {state}" for state in State)
    untested = sum(row.id not in tested for row in all_rows)
    return f"{len(all_rows)} requirements: {states}; {untested} without a test; {len(holders())} tests hold them"
