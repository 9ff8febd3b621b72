"""No test takes a busy machine for a wrong program."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
WALL_CLOCKS = {"monotonic", "perf_counter"}
LEAST_S = 30


def hasty(tree: ast.AST) -> list[int]:
    """Lines that claim of one try that the clock on the wall shows less than half a minute."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Lt | ast.LtE)
        and isinstance(limit := node.comparators[0], ast.Constant)
        and isinstance(limit.value, int | float)
        and limit.value < LEAST_S
        and any(
            isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in WALL_CLOCKS
            for call in ast.walk(node.left)
        )
    ]


@pytest.mark.parametrize("claim", ["time.monotonic() - began < 5", "perf_counter() - began <= 0.5"])
def test_a_claim_about_the_clock_on_the_wall_is_found(claim: str) -> None:
    assert hasty(ast.parse(f"assert {claim}")) == [1]
    assert hasty(ast.parse(f"assert {claim.replace('0.5', '60').replace('5', '60')}")) == []


def test_no_test_claims_that_the_clock_on_the_wall_shows_little() -> None:
    """The least of several tries may, and the time of the processor by `tests/pace.py`."""
    found = dict[str, list[int]]()
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text()
        if any(name in text for name in WALL_CLOCKS) and (lines := hasty(ast.parse(text))):
            found[str(path.relative_to(TESTS))] = lines
    assert found == {}
