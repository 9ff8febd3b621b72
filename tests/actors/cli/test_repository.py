from __future__ import annotations

import subprocess
import sys

import pytest

from actors.cli import OF_THE_REPOSITORY as NAMES
from tests.actors.cli.command import CHECKOUT, inherited

PROGRAM = "from actors.cli import agent; agent(prog_name='agent')"


def as_installed(*words: str) -> subprocess.CompletedProcess[str]:
    """`agent` as a wheel starts it, without the lab."""
    return subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, *words],
        env=inherited(),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_command_of_the_repository_says_so_whatever_follows_it(subtests: pytest.Subtests) -> None:
    for name in NAMES:
        with subtests.test(name=name):
            done = as_installed(name, "kernel", "--only", "x", "--help")

            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr == (
                f"error: agent {name} is in the repository only, as it measures or tests the agent: clone the "
                f"repository and run bin/agent {name} kernel --only x --help there\n"
            )


def test_help_lists_no_command_that_is_not_there() -> None:
    listed = as_installed("--help").stdout

    assert "\n  try " in listed
    assert not any(f"\n  {name} " in listed for name in NAMES)
