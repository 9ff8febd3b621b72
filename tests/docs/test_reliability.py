"""Claims of the page on reliability: each has a command that exists and says how it is used."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.docs.commands import named
from tests.docs.prose import ROOT
from tests.patience import PATIENCE_S

PAGE = (ROOT / "docs" / "reliability.md").read_text("utf-8")
SECTION = PAGE.partition("## Claims\n")[2].partition("\n## ")[0]
LINES = [line for line in SECTION.splitlines() if line.startswith("| ")]
CLAIMS = [[cell.strip() for cell in line[1:-1].split("|")] for line in LINES[1:]]
WITH_HELP = [
    command.partition(" -")[0] for claim in CLAIMS for _, command in named(claim[1]) if not command.startswith("test")
]


def test_every_claim_has_a_command_and_more_than_ten_have_a_time() -> None:
    for claim, command, takes in CLAIMS:
        assert list(named(command)), claim
        assert re.fullmatch(r"(\d+ (s|min))?", takes), claim
    assert sum(bool(takes) for _, _, takes in CLAIMS) > 10


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(set(WITH_HELP)))
def test_every_program_that_is_named_says_how_it_is_used(command: str) -> None:
    program, *words = command.split()

    done = subprocess.run(
        [ROOT / "bin" / program, *words, "--help"], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Usage: {command} ")
