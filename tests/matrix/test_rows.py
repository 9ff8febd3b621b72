"""The matrix is whole: every row has its test, and its line in `docs/reliability.md`."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

from tests.e2e.stage import answered_once

ROWS = range(1, 49)
HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reliability.md"
NAME = re.compile(r"test_row_(\d\d)_\w+")
LINE = re.compile(r"(\d+)\. \*\*([^*]+):\*\* (.+)")
COMMAND = re.compile(r"`bin/test tests/matrix -k row_(\d\d)` runs row (\d+)\.")


def claims_by_row() -> dict[int, list[tuple[str, ast.FunctionDef]]]:
    """Row -> the file and the function of each of its tests."""
    found: dict[int, list[tuple[str, ast.FunctionDef]]] = {}
    for file in sorted(HERE.glob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and (match := NAME.fullmatch(node.name)):
                found.setdefault(int(match[1]), []).append((file.name, node))
    return found


def test_every_row_has_its_test_and_all_tests_of_a_row_stand_in_one_file() -> None:
    found = claims_by_row()

    assert sorted(found) == list(ROWS)
    assert {
        row: {file for file, _ in tests} for row, tests in found.items() if len({file for file, _ in tests}) > 1
    } == {}


def test_no_rows_test_is_empty() -> None:
    """Each makes claims of its own, or calls a function of its file, or `answered_once`, that does."""
    trees = {file.name: ast.parse(file.read_text("utf-8")) for file in HERE.glob("test_*.py")}
    claiming = {
        (name, node.name)
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and any(isinstance(part, ast.Assert) for part in ast.walk(node))
    }
    empty = [
        function.name
        for tests in claims_by_row().values()
        for file, function in tests
        if not {(file, name) for name in names_used(function)} & claiming
        and "answered_once" not in names_used(function)
        and not raises(function)
    ]

    assert inspect.getsource(answered_once).count("assert ") >= 2
    assert len(claiming) > len(ROWS)
    assert empty == []


def names_used(function: ast.FunctionDef) -> set[str]:
    """Its own name and those of what it calls."""
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {function.name, *(getattr(called, "id", getattr(called, "attr", "")) for called in calls)}


def raises(function: ast.FunctionDef) -> bool:
    """Whether it demands an exception."""
    return "raises" in names_used(function)


def test_the_page_has_a_line_for_every_row_with_the_outcome_and_the_command_that_runs_it() -> None:
    section = PAGE.read_text("utf-8").partition("## The fault matrix\n")[2].partition("\n## ")[0]
    lines = [match for match in map(LINE.fullmatch, section.splitlines()) if match]

    assert [int(match[1]) for match in lines] == list(ROWS)
    assert [int(row) for row in COMMAND.findall(section)[0]] == [7, 7]
