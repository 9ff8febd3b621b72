from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.bench.measure import Figures
from lab.bench.shell.neighbour import ATTACKS, neighbour
from lab.bench.shell.run import PLAIN, SHELL, WINDOWS, available, cancelling, flood, start_cost
from lab.bench.shell.shells import Shells

GOOD: Figures = {
    "above_plain_p95_ms": 15.0,
    "at_once_unfinished": 0,
    "at_once_brief_share": 1.0,
    "flood_memory_mb": 2.0,
    "cancel_p95_ms": 50.0,
    **{f"neighbour_{name}_ratio": 2.0 for name in ATTACKS},
}


@pytest.fixture
def shells(tmp_path: Path) -> Iterator[Shells]:
    shells = Shells(tmp_path, (PLAIN, *available()))
    yield shells
    shells.close()


def test_each_level_is_measured_beside_plain_bash(shells: Shells) -> None:
    levels = (PLAIN, *available())
    figures = start_cost(shells, levels, rounds=2)
    assert list(figures) == list(levels)
    assert figures[PLAIN]["above_plain_p50_ms"] == 0
    assert all(of_level["start_p50_ms"] > 0 for of_level in figures.values())


def test_floods_and_cancels_come_to_their_end_at_each_level(shells: Shells) -> None:
    for level in available():
        assert flood(shells, level, 1_000_000)["flood_s"] > 0
        assert cancelling(shells, level, rounds=1)["cancel_p95_ms"] > 0


def test_a_neighbour_is_measured_beside_each_attack(shells: Shells) -> None:
    for level in available():
        figures = neighbour(shells, level, seconds=0.2)
        assert all(figures[f"neighbour_{name}_ratio"] > 0 for name in ATTACKS)


def test_a_target_is_met_when_it_is_just_reached() -> None:
    assert [verdict.met for verdict in SHELL.verdicts({"bwrap": GOOD}, quick=False)] == [True] * (5 + len(ATTACKS))


def test_a_target_that_is_missed_is_named_and_only_a_command_without_an_end_is_unsound() -> None:
    missed = {"bwrap": GOOD | {"at_once_brief_share": 1.1, "above_plain_p95_ms": 15.1}}
    assert [verdict.name for verdict in SHELL.verdicts(missed, quick=False) if not verdict.met] == [
        "start p95 above plain bash, ms",
        "of 64 at once, brief ones' share of the time-out",
    ]
    assert SHELL.is_sound(missed, quick=False)
    assert not SHELL.is_sound({"bwrap": GOOD | {"at_once_unfinished": WINDOWS}}, quick=True)
