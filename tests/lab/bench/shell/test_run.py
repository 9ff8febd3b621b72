from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.bench.shell.neighbour import ATTACKS, neighbour
from lab.bench.shell.run import PLAIN, SHELL, WINDOWS, available, cancelling, flood, start_cost
from lab.bench.shell.shells import Shells


@pytest.fixture
def shells(tmp_path: Path) -> Iterator[Shells]:
    shells = Shells(tmp_path, (PLAIN, *available()))
    yield shells
    shells.close()


def test_each_level_is_measured_beside_plain_bash(shells: Shells) -> None:
    levels = (PLAIN, *available())
    figures = start_cost(shells, levels, rounds=2)
    assert list(figures) == list(levels)
    assert figures[PLAIN]["above_plain_p95_ms"] == 0
    assert all(of_level["start_p95_ms"] > 0 for of_level in figures.values())


def test_floods_and_cancels_come_to_their_end_at_each_level(shells: Shells) -> None:
    for level in available():
        assert flood(shells, level, 1_000_000)["flood_s"] > 0
        assert cancelling(shells, level, rounds=1)["cancel_p95_ms"] > 0


def test_a_neighbour_is_measured_beside_each_attack(shells: Shells) -> None:
    for level in available():
        figures = neighbour(shells, level, seconds=0.2)
        assert all(figures[name] > 0 for name in ATTACKS)


def test_only_a_command_without_an_end_is_unsound() -> None:
    missed = {"bwrap": {"brief_share": 1.1, "above_plain_p95_ms": 15.1, "unfinished": 0.0}}
    assert [verdict.met for verdict in SHELL.verdicts(missed, quick=False)] == [False, True, False]
    assert SHELL.is_sound(missed, quick=False)
    assert not SHELL.is_sound({"bwrap": {"unfinished": WINDOWS}}, quick=True)
