from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actors.linux.folder import Usage, open_folder
from actors.linux.nameless import NamelessFiles
from actors.shell.job import Limits
from actors.shell.sandbox.watcher.scarcity import HALVING_S, PATIENCE_S, SMALL_BYTES, SMALL_NAMES, Measures, Scarcity

LEAST, LEAST_NAMES, MOST = 256 << 20, 10_000, 1 << 30
ENOUGH, ENOUGH_NAMES = 64 * LEAST, 64 * LEAST_NAMES
REFUSING, REFUSING_NAMES = 2 * LEAST - 1, 2 * LEAST_NAMES - 1
BELOW, BELOW_NAMES = LEAST - 1, LEAST_NAMES - 1
FAR_BELOW, FAR_BELOW_NAMES = LEAST // 4 - 1, LEAST_NAMES // 4 - 1
NOTHING = Usage()


class Command:
    """Measured use of a command."""

    def __init__(self, folder: int) -> None:
        self.written = 0
        self.held = NamelessFiles()
        self.search: Callable[[], Iterator[NamelessFiles]] = lambda: iter([self.held])
        self.measures = Measures(lambda _pid: self.written, lambda _pid, _device: self.search())
        limits = Limits(most_bytes=MOST, most_files=100, least_free_bytes=LEAST, least_free_names=LEAST_NAMES)
        self._judge = Scarcity(limits, folder, ENOUGH, ENOUGH_NAMES, self.measures)

    def fault(self, now: float, room: int = ENOUGH, names: int = ENOUGH_NAMES, grown: Usage = NOTHING) -> str:
        return self._judge.fault(now, room, names, grown)

    def spared_s(self, room: int = ENOUGH, names: int = ENOUGH_NAMES) -> float:
        """For how long it goes on where nothing changes."""
        times = (tenth / 10 for tenth in range(600))
        return next((now for now in times if self.fault(now, room, names)), 60.0)


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    folder = open_folder(str(tmp_path))
    yield Command(folder)
    os.close(folder)


def test_who_took_more_than_a_little_goes_below_the_floor_at_once_and_who_took_less_stays(command: Command) -> None:
    little, much = Usage(SMALL_NAMES, SMALL_BYTES), Usage(SMALL_NAMES + 1, SMALL_BYTES + 1)
    for now in range(60):
        assert command.fault(now, BELOW, grown=little) == ""
        assert command.fault(now, names=BELOW_NAMES, grown=little) == ""
    assert "free on the disk" in command.fault(60.0, BELOW, grown=much)
    assert "more files on the disk" in command.fault(60.0, names=BELOW_NAMES, grown=much)
    command.written = SMALL_BYTES + 1
    assert "free on the disk" in command.fault(60.0, BELOW)


@pytest.mark.parametrize("unseen", [0, 2_000])
def test_who_keeps_others_from_their_commands_by_what_has_no_name_goes_after_a_moment(
    command: Command, unseen: int
) -> None:
    command.held = NamelessFiles(unseen=unseen) if unseen else NamelessFiles(SMALL_NAMES + 1, SMALL_BYTES + 1)
    assert command.spared_s(names=REFUSING_NAMES) == PATIENCE_S
    assert command.fault(0.0) == ""
    command.held = NamelessFiles(unseen=1) if unseen else command.held
    assert command.spared_s(REFUSING) == PATIENCE_S
    assert command.fault(0.0) == ""


def test_who_wrote_what_would_not_be_free_again_is_spared_where_others_are_refused(command: Command) -> None:
    command.written = MOST
    assert command.spared_s(REFUSING) == 60.0
    command.held = NamelessFiles(SMALL_NAMES, SMALL_BYTES)
    assert command.spared_s(REFUSING, REFUSING_NAMES) == 60.0


def test_what_nobody_can_look_at_is_not_more_than_what_is_gone(tmp_path: Path, command: Command) -> None:
    folder = open_folder(str(tmp_path))
    limits = Limits(most_bytes=MOST, least_free_bytes=LEAST, least_free_names=LEAST_NAMES)
    judge = Scarcity(limits, folder, REFUSING + SMALL_BYTES, REFUSING_NAMES + SMALL_NAMES, command.measures)
    command.held = NamelessFiles(unseen=10_000)
    assert all(judge.fault(now, REFUSING, REFUSING_NAMES, NOTHING) == "" for now in range(60))
    assert judge.fault(60.0, REFUSING - 1, REFUSING_NAMES, NOTHING) != ""
    os.close(folder)


def test_who_wrote_more_than_its_share_goes_where_the_disk_is_nearly_full(command: Command) -> None:
    command.written = MOST + 1
    assert command.fault(0.0, 4 * LEAST) == ""
    assert command.fault(0.0, 4 * LEAST - 1) == "it wrote more than 1,024 MiB to a disk that is nearly full"


def test_far_below_the_floor_the_larger_go_first_and_who_took_nothing_last(command: Command) -> None:
    spared = []
    for taken in (SMALL_BYTES, SMALL_BYTES // 8, SMALL_BYTES // 64, 0):
        command.fault(0.0)
        command.written = taken
        spared.append(command.spared_s(FAR_BELOW))
    assert spared == sorted(set(spared))
    assert spared[0] <= HALVING_S + 0.1
    assert 4.0 < spared[-1] < 10.0
    command.written = 0
    command.fault(0.0)
    assert 1.0 < command.spared_s(names=FAR_BELOW_NAMES) < 10.0


def test_who_took_little_is_spared_when_the_larger_one_has_given_back_what_it_took(command: Command) -> None:
    command.written = SMALL_BYTES // 8
    for round_ in range(20):
        assert command.fault(round_, FAR_BELOW) == ""
        assert command.fault(round_ + 0.5, FAR_BELOW) == ""
        assert command.fault(round_ + 0.6, BELOW) == ""


def test_what_a_long_search_has_found_counts_before_it_is_over(command: Command) -> None:
    found = (NamelessFiles(SMALL_NAMES * slices) for slices in range(1_000))
    command.search = lambda: found
    assert command.spared_s(names=BELOW_NAMES) < 1.0
    assert next(found).files < 100 * SMALL_NAMES


def test_it_is_told_that_a_search_goes_on(tmp_path: Path) -> None:
    measures = Measures(lambda _pid: 0, lambda _pid, _device: iter([NamelessFiles()] * 6))
    folder = open_folder(str(tmp_path))
    judge = Scarcity(Limits(least_free_bytes=LEAST), folder, ENOUGH, ENOUGH_NAMES, measures)
    told = []
    for room in (ENOUGH, BELOW, BELOW):
        judge.fault(1.0, room, ENOUGH_NAMES, NOTHING)
        told.append(judge.is_searching)
    os.close(folder)
    assert told == [False, True, False]
