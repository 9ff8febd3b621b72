"""Sum of a CI run: the counts of each part's last summary, and failure where a part has none or names failures."""

from __future__ import annotations

import runpy
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.stage import CHECKOUT

TOTAL = runpy.run_path(str(CHECKOUT / ".ci" / "total.py"))
COUNTS: Callable[[str], dict[str, int] | None] = TOTAL["counts"]
MAIN: Callable[[Path], int] = TOTAL["main"]


def test_the_last_summary_counts(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, dict[str, int] | None]] = [
        ("==== 3 passed in 1.20s ====", {"passed": 3}),
        (
            "2 failed, 3 passed, 1 skipped, 1 error in 71.20s (0:01:11)",
            {"failed": 2, "passed": 3, "skipped": 1, "error": 1},
        ),
        ("3 passed in 1.0s\n...\n4 passed, 9 deselected in 2.0s\n", {"passed": 4, "deselected": 9}),
        ("said in 3.0s: 4 passed", None),
        ("no tests ran in 0.01s", None),
        ("", None),
    ]
    for output, counted in cases:
        with subtests.test(output=output, counted=counted):
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


def parts(tmp_path: Path, words: str) -> tuple[str, list[str]]:
    """Exit code that a run keeps, and what it says, for parts of its own."""
    script = (
        f"set -euo pipefail; logs={tmp_path} worst=0; . {CHECKOUT / '.ci' / 'parts.sh'}; {words}; echo; echo $worst"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=120)
    lines = done.stdout.split("\n")
    return lines[-2], [line for line in lines[:-2] if line]


def test_parts_side_by_side_wait_for_one_another_and_each_is_shown_whole(tmp_path: Path) -> None:
    """Each part ends only when the other has begun: one behind the other, they would never end."""
    meet = "touch $0-{0}; until [ -e $0-{1} ]; do sleep 0.01; done; echo {0} ends"
    pair = [f"{name} bash -c '{meet.format(name, other)}' {tmp_path}/meeting" for name, other in ("ab", "ba")]
    worst, lines = parts(tmp_path, "side_by_side " + " -- ".join(pair))

    assert (worst, lines) == ("0", ["=== a", "a ends", "=== b", "b ends"])
    assert (tmp_path / "a").read_text() == "a ends\n"


def test_one_part_that_fails_fails_the_run_and_the_others_are_run(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = [
        "side_by_side 'a part' false -- b true",
        "side_by_side b true -- 'a part' false",
        "part 'a part' false; part b true",
    ]
    for number, words in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(words=words):
            worst, lines = parts(place, words)

            assert worst == "1"
            assert sorted(lines) == ["=== a part", "=== b"]


def test_a_part_side_by_side_reads_nothing_of_the_runs_input_and_its_arguments_stay_whole(tmp_path: Path) -> None:
    worst, lines = parts(tmp_path, "side_by_side a printf '%s|' 'x y' '*' -- b cat")

    assert (worst, lines) == ("0", ["=== a", "x y|*|", "=== b"])
