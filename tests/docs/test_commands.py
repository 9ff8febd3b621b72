"""Every command that a page names is one, with the options that stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.commands import flaw_of, named
from tests.docs.prose import pages

EVERY_PAGE = pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)


@EVERY_PAGE
def test_every_command_that_is_named_exists_with_its_options(page: Path) -> None:
    wrong = [
        f"{page.name}:{line}: bin/{command}: {flaw}"
        for line, command in named(page.read_text("utf-8"))
        if (flaw := flaw_of(command))
    ]

    assert wrong == []


def test_commands_are_found_in_code_and_in_text() -> None:
    page = "Not bin/agent this; say `bin/agent status --watch`, or `bin/agent usage --by day|window [--json]`.\n```sh\n$ bin/test -q | tail # a\n"

    assert [command for _, command in named(page)] == ["agent status --watch", "agent usage --by day", "test -q"]


def test_what_there_is_not_is_named(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("agent memory search words", ""),
        ("agent statsu", "agent has no command 'statsu'"),
        ("agent memory sarch x", "agent memory has no command 'sarch'"),
        ("agent status --wacth", "agent status: No such option '--wacth'"),
        ("agent status now", "agent status takes no 'now'"),
        ("agent-cli --jsn hello", "agent-cli: No such option '--jsn'"),
        ("test tests/docs/test_commands.py::test_commands_are_found_in_code_and_in_text", ""),
        ("test tests/docs/test_commands.py::test_nothing", "tests/docs/test_commands.py has no test_nothing"),
        ("test tests/matrix/test_process.py -k row_01", ""),
        ("test tests/matrix/test_process.py -k row_77", "no test has 'row_77' in its name"),
        ("test tests/nowhere", "tests/nowhere is not there"),
    ]
    for command, flaw in cases:
        with subtests.test(command=command, flaw=flaw):
            assert flaw_of(command).startswith(flaw)
            assert bool(flaw_of(command)) == bool(flaw)
