"""docs/architecture.md names tests for what it says; they exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = "## Supervision, beside OTP and Pekko"
FILE = re.compile(r"`(test_\w+\.py)`: ((?:`test_\w+`(?:, )?)+)")


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
