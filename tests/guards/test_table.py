from __future__ import annotations

import ast
from collections import Counter
from functools import cache

import pytest

from tests.guards.guard import ROOT, Guard
from tests.guards.of_syncs import SYNCS
from tests.guards.table import GUARDS

LEAST = 100
"""Guards of the two reviews and of docs/security.md; there may be more, and none may go without a reason."""


@cache
def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def collected_from(path: str) -> frozenset[str]:
    """Names of the test functions that pytest collects from a file."""
    if not (ROOT / path).is_file():
        return frozenset()
    nodes = ast.parse(text_of(path)).body
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))


@pytest.mark.req("X-237")
def test_every_guard_stands_in_its_file_once_and_the_file_is_python_without_it() -> None:
    for guard in GUARDS:
        without = guard.without(text_of(guard.file))
        assert without != text_of(guard.file), guard.title
        ast.parse(without, guard.file)


@pytest.mark.req("X-237")
def test_every_guards_test_is_collected() -> None:
    tests = [*(guard.test_id for guard in GUARDS), *(sync.test_id for sync in SYNCS)]
    named = [test.partition("::") for test in tests]
    assert [f"{path}::{name}" for path, _, name in named if name not in collected_from(path)] == []


def test_every_guard_is_there_once_and_there_are_many() -> None:
    counted = Counter((guard.file, guard.line) for guard in GUARDS)
    assert [title for title, count in counted.items() if count > 1] == []
    assert len(GUARDS) >= LEAST


def test_a_line_that_is_not_there_or_stands_there_twice_is_no_guard() -> None:
    guard = Guard("a.py", "x = 1\n", "", "b.py::test_c")
    for text in ("", "x = 1\nx = 1\n"):
        with pytest.raises(ValueError, match=r"a\.py: x = 1: stands there [02] times, exactly 1 is required"):
            guard.without(text)
    assert guard.without("y\nx = 1\nz\n") == "y\nz\n"
