"""The race for mounted names in small: the guard holds, and without it the same race is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.shell.sandbox import choice
from lab.chaos.mounts import TOKEN, MountReport, race

TRIES = 40
MOST_RACES = 25
"""Until one is lost: one command in sixty is, with mounts by path."""


@pytest.fixture
def place() -> Iterator[Path]:
    with TemporaryDirectory(prefix="race-", dir="/var/tmp", ignore_cleanup_errors=True) as root:
        yield Path(root)


def test_a_name_that_is_swapped_while_mounts_are_made_shows_and_touches_nothing_outside(place: Path) -> None:
    report = race(place, TRIES, lambda _number: None)

    assert (report.shown, report.touched) == (0, 0)
    assert report.is_sound, report.line()
    assert (place / "outside" / "secret").read_text() == TOKEN


@pytest.mark.timeout(300)
def test_mounts_by_path_lose_the_race(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a Linux before 5.12; a race without a possible loser proves nothing."""
    monkeypatch.setattr(choice, "can_mount_by_descriptor", lambda: False)

    reports = list[MountReport]()
    while len(reports) < MOST_RACES and all(report.is_sound for report in reports):
        root = place / str(len(reports))
        root.mkdir()
        reports.append(race(root, TRIES, lambda _number: None))

    assert reports[-1].shown or reports[-1].touched, [report.line() for report in reports]
    assert not reports[-1].is_sound


def test_a_race_without_a_racer_is_not_sound() -> None:
    report = MountReport(tries=5, shown=0, touched=0, refused=0, swaps=0, seconds=1.0)
    assert not report.is_sound
