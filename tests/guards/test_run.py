from __future__ import annotations

from pathlib import Path

import pytest

from tests.guards import run
from tests.guards.guard import ROOT, Guard

MODULE = "def may_enter(key):\n    if key != 'right':\n        return False\n    return True\n"
TESTS = """\
from door import may_enter
def test_a_wrong_key_opens_nothing():
    assert not may_enter('wrong')
def test_the_right_key_opens():
    assert may_enter('right')
"""
GUARD = "    if key != 'right':\n        return False\n"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout with one guard."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "door.py").write_text(MODULE)
    (tmp_path / "tests" / "test_door.py").write_text(TESTS)
    (tmp_path / ".venv").symlink_to((ROOT / ".venv").resolve())
    return tmp_path


@pytest.mark.slow
def test_a_guard_that_a_test_holds_falls_and_one_that_none_holds_does_not(copy: Path) -> None:
    held = Guard("door.py", GUARD, "", "test_door.py::test_a_wrong_key_opens_nothing")
    free = Guard("door.py", GUARD, "", "test_door.py::test_the_right_key_opens")
    broken = Guard("door.py", GUARD, "    return (\n", "test_door.py::test_a_wrong_key_opens_nothing")

    assert run.take_out(held, copy) == "fell"
    assert run.take_out(free, copy).startswith("DID NOT FALL (its test passes)")
    assert run.take_out(broken, copy).startswith("DID NOT FALL (pytest ended with ")
    assert (copy / "door.py").read_text() == MODULE


def test_a_copy_has_the_product_and_the_tests_and_no_data(tmp_path: Path) -> None:
    copy = run.copy_checkout(tmp_path)

    for path in ("actors/shell/sandbox/filter.py", "tests/guards/run.py", "pyproject.toml", ".venv/bin/python"):
        assert (copy / path).exists(), path
    assert not (copy / ".git").exists()
