"""Threads may touch any struct first: what msgspec must know of it is built before there is a second thread."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROCESSES = 40
"""Forks, each of which touches all structs for the first time."""


@pytest.mark.slow
def test_no_process_dies_whose_threads_touch_every_struct_first_at_once() -> None:
    reports = _touch_in(PROCESSES)
    assert reports["sampled"] > 300
    assert reports["without"] == [], "end the module with make_ready(__name__), whatever else may have read its structs"
    assert reports["unready"] == [], "end the module with make_ready(__name__)"
    assert reports["ends"] == {"0": PROCESSES}


@pytest.mark.slow
def test_fresh_interpreters_live_through_threads_that_touch_every_struct_first() -> None:
    ends = [_run("fresh").returncode for _ in range(2)]
    assert ends == [0, 0]


@pytest.mark.slow
def test_threads_that_import_at_once_what_actors_import_late_see_no_module_half_made() -> None:
    report = _report_of("tests.messages.first_import", "2")
    assert report["late"] > 40
    assert report["ends"] == {"0": 2}


def test_a_library_that_two_threads_cannot_begin_to_import_is_there_before_the_second_thread() -> None:
    """numpy/numpy#21223: two threads that import the library at once can fail, one on the half-made module."""
    report = _report_of("tests.messages.first_import", "0")
    assert {"apsw", "dateutil", "msgspec", "numpy", "pydantic", "yaml", "zoneinfo"} <= set(report["before"])


def _touch_in(processes: int) -> dict[str, Any]:
    return _report_of("tests.messages.first_touch", str(processes))


def _report_of(program: str, argument: str) -> dict[str, Any]:
    run = _run(argument, program)
    assert run.returncode == 0, run.stderr
    report: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return report


def _run(argument: str, program: str = "tests.messages.first_touch") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", program, argument]
    return subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=280, check=False
    )
