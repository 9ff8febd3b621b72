from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.mutation_targets import TARGETS, configure

ROOT = Path(__file__).parents[1]


def test_every_target_and_its_tests_are_there() -> None:
    paths = [*TARGETS, *(path for tests in TARGETS.values() for path in tests.split())]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_a_configuration_names_the_module_and_a_command_that_runs_its_tests() -> None:
    made = tomllib.loads(configure("domain/log/watermark.py"))["cosmic-ray"]
    assert made["module-path"] == "domain/log/watermark.py"
    assert made["test-command"].startswith("bin/test ")
    assert "tests/domain/log/test_watermark.py" in made["test-command"].split()


def test_a_module_that_is_no_target_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"module 'no/such\.py': one of .*watermark"):
        configure("no/such.py")
