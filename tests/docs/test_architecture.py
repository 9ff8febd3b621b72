"""docs/architecture.md names tests for what it says; they exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).parents[2]
TABLE = "## Supervision, beside OTP and Pekko"
FILE = re.compile(r"`(test_\w+\.py)`: ((?:`test_\w+`(?:, )?)+)")

WAY = "## Where to start reading"


def way() -> list[tuple[list[str], list[str]]]:
    """(files, names) of each row about where to read."""
    section = (ROOT / "docs" / "architecture.md").read_text().partition(WAY)[2].partition("\n## ")[0]
    cells = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return [(re.findall(r"`([^`]+)`", read), re.findall(r"`([^`]+)`", names)) for read, names, _ in cells]


@pytest.mark.parametrize(("files", "names"), way(), ids=[files[-1] for files, _ in way()])
def test_what_a_reader_is_told_to_look_for_stands_in_the_files_that_are_named(
    files: list[str], names: list[str]
) -> None:
    defined = set[str]()
    for file in files:
        for node in ast.walk(ast.parse((ROOT / file).read_text())):
            if isinstance(node, ast.ClassDef):
                defined |= {node.name, *(f"{node.name}.{each.name}" for each in node.body if _is_function(each))}
            if _is_function(node):
                defined.add(node.name)
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                defined |= {target.id for target in targets if isinstance(target, ast.Name)}

    assert names
    assert [name for name in names if name not in defined] == []


def _is_function(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def supervision() -> str:
    """The section with the table."""
    return (ROOT / "docs" / "architecture.md").read_text().partition(TABLE)[2].partition("\n## ")[0]


def rows() -> list[str]:
    lines = [line for line in supervision().splitlines() if line.startswith("| ")]
    return lines[1:]  # without the heading


def named(text: str) -> Iterator[tuple[str, str]]:
    """(file, test) for every test that `text` names."""
    for file, tests in FILE.findall(text):
        for test in re.findall(r"test_\w+", tests):
            yield file, test


def test_every_row_about_supervision_names_a_test() -> None:
    assert len(rows()) > 15
    assert [row[:40] for row in rows() if not list(named(row))] == []


@pytest.mark.req("S0-01")
def test_every_test_that_is_named_exists() -> None:
    folder = ROOT / "tests" / "actors" / "kernel"
    missing = [
        f"{file}: {test}"
        for file, test in named(supervision())
        if not (folder / file).is_file() or f"\ndef {test}(" not in (folder / file).read_text()
    ]

    assert missing == []
