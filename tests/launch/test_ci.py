"""Sum of a CI run: the counts of each part's last summary, and failure where a part has none or names failures."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.stage import CHECKOUT

TOTAL = runpy.run_path(str(CHECKOUT / ".ci" / "total.py"))
COUNTS: Callable[[str], dict[str, int] | None] = TOTAL["counts"]
MAIN: Callable[[Path], int] = TOTAL["main"]


@pytest.mark.parametrize(
    ("output", "counted"),
    [
        ("==== 3 passed in 1.20s ====", {"passed": 3}),
        (
            "2 failed, 3 passed, 1 skipped, 1 error in 71.20s (0:01:11)",
            {"failed": 2, "passed": 3, "skipped": 1, "error": 1},
        ),
        ("3 passed in 1.0s\n...\n4 passed, 9 deselected in 2.0s\n", {"passed": 4, "deselected": 9}),
        ("said in 3.0s: 4 passed", None),
        ("no tests ran in 0.01s", None),
        ("", None),
    ],
)
def test_the_last_summary_counts(output: str, counted: dict[str, int] | None) -> None:
    assert COUNTS(output) == counted


@pytest.mark.parametrize(
    ("parts", "code", "last"),
    [
        ({"user": "3 passed in 1.0s", "root": "2 passed, 1 skipped in 1.0s"}, 0, "5 passed, 0 failed, 1 skipped"),
        ({"user": "1 failed, 3 passed in 1.0s", "root": "2 passed in 1.0s"}, 1, "5 passed, 1 failed, 0 skipped"),
        ({"user": "3 passed in 1.0s", "root": "set-up failed"}, 1, "3 passed, 0 failed, 0 skipped"),
    ],
)
def test_the_last_line_is_the_sum_of_all_parts(
    tmp_path: Path, capsys: Any, parts: dict[str, str], code: int, last: str
) -> None:
    for name, output in parts.items():
        (tmp_path / name).write_text(output)
    assert MAIN(tmp_path) == code
    assert capsys.readouterr().out.splitlines()[-1] == last
