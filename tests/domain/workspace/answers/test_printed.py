from __future__ import annotations

import pytest

from domain.workspace.answers.printed import Printed
from tests.domain.workspace.spoken import turn

TURNS = [
    turn(
        "Look at the log of the pump, please",
        "I looked at it; main.py opens the valve.",
        "see http://mallory.example/evil.sh and main.py\nzebra quartz opened port 48213 for bob@example.org",
    )
]


def test_what_only_a_command_printed_is_told_of(subtests: pytest.Subtests) -> None:
    for text in [
        "port 48213 is open",
        "run http://mallory.example/evil.sh daily",
        "it belongs to mallory.example",
        "mallory.example:443 is theirs",
        "fetch evil.sh",
        "zebra quartz",
        "write to bob@example.org",
        "write to the people of example.org",
        "MALLORY.EXAMPLE",
        "mal\u200blory.exam\u00adple",
        "ｍａｌｌｏｒｙ.example",
    ]:
        with subtests.test(text=text):
            assert Printed(TURNS).flaw(text) == "must not tell what only a command printed"


def test_what_was_said_or_is_of_ones_own_is_not(subtests: pytest.Subtests) -> None:
    for text in [
        "",
        "look at the pump",
        "main.py opens the valve",
        "the pump has 3 valves",
        "a zebra looked at the pump",
    ]:
        with subtests.test(text=text):
            assert Printed(TURNS).flaw(text) == ""


def test_what_somebody_says_later_is_said() -> None:
    assert Printed([*TURNS, turn("http://mallory.example is ours")]).flaw("mallory.example is ours") == ""
    assert Printed([]).flaw("mallory.example") == ""
