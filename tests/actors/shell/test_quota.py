from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.linux.folder import MOST_LEVELS
from actors.shell.quota import Quota
from actors.shell.refused import RefusedError
from tests.actors.linux.test_folder import nest
from tests.actors.shell.bench import Bench


class Clock:
    """Goes on by a second with every look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_what_fits_is_let_through(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(10_000))
    Quota(Clock(), most_bytes=100_000, most_files=2, least_free_bytes=0).check(tmp_path)


def test_too_many_bytes_are_refused_with_the_figure(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(bytes(3_000_000))
    with pytest.raises(RefusedError, match=r"holds 2\.9 MiB; at most 1\.0 MiB may be there"):
        Quota(Clock(), most_bytes=1024**2, least_free_bytes=0).check(tmp_path)


def test_holes_in_files_take_no_room(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10**12)
    Quota(Clock(), most_bytes=1024**2, least_free_bytes=0).check(tmp_path)


def test_too_many_files_are_refused_with_the_figure(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / str(number)).symlink_to("/")
    with pytest.raises(RefusedError, match="more than 3 files"):
        Quota(Clock(), most_files=3, least_free_bytes=0).check(tmp_path)


def test_a_full_disk_is_refused_with_the_figure(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"The disk has only .* MiB free; below .* MiB no command is run"):
        Quota(Clock(), least_free_bytes=2**62).check(tmp_path)


def test_a_disk_without_names_is_refused(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    short = os.statvfs_result((*disk[:5], 800_000, 900, 19_999, *disk[8:]))
    with pytest.raises(RefusedError, match=r"room for 19,999 more files; below 20,000 no command is run\..*/empty"):
        Quota(Clock(), least_free_bytes=0, statvfs=lambda _folder: short).check(tmp_path)


def test_a_folder_nested_too_deep_is_refused(tmp_path: Path) -> None:
    nest(tmp_path, MOST_LEVELS + 1)
    with pytest.raises(RefusedError, match="folders nested deeper than 100"):
        Quota(Clock(), least_free_bytes=0).check(tmp_path)


def test_who_is_refused_is_told_that_people_can_have_the_folder_emptied(tmp_path: Path) -> None:
    for quota in (Quota(Clock(), most_files=0, least_free_bytes=0), Quota(Clock(), least_free_bytes=2**62)):
        (tmp_path / "a").touch()
        with pytest.raises(RefusedError, match="/empty"):
            quota.check(tmp_path)


def test_what_is_said_of_a_full_disk_is_not_that_a_folder_would_be_it(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="People can make room: /empty removes what the commands of its channel"):
        Quota(Clock(), least_free_bytes=2**62).check(tmp_path)


def test_what_is_let_through_has_bounds_to_be_held_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(10_000))
    limits = Quota(Clock(), most_bytes=100_000, most_files=7, least_free_bytes=4096).check(tmp_path)
    assert (limits.folder, limits.most_bytes, limits.most_files) == (str(tmp_path), 100_000, 7)
    assert limits.least_free_bytes == 2048
    assert (limits.used_files, limits.used_bytes >= 8192) == (1, True)


class StillDisk:
    """Disk on which nothing changes, until it is told of a loss."""

    def __init__(self, folder: Path) -> None:
        self._now = os.statvfs(folder)

    def lose(self, lost_bytes: int, lost_names: int) -> None:
        now = self._now
        blocks = now.f_bavail - lost_bytes // now.f_frsize
        self._now = os.statvfs_result((*now[:4], blocks, *now[5:7], now.f_favail - lost_names, *now[8:]))

    def statvfs(self, _folder: Path) -> os.statvfs_result:
        return self._now


def test_a_measurement_holds_for_twenty_times_as_long_as_it_took(tmp_path: Path) -> None:
    disk = StillDisk(tmp_path)
    clock = Clock()
    quota = Quota(clock, statvfs=disk.statvfs, most_files=1, least_free_bytes=0)
    quota.check(tmp_path)
    for number in range(3):
        (tmp_path / str(number)).touch()
    quota.check(tmp_path)
    clock.now += 20
    with pytest.raises(RefusedError):
        quota.check(tmp_path)


@pytest.mark.parametrize(("lost_bytes", "lost_names"), [(20 * 1024**2, 0), (0, 3)], ids=["bytes", "names"])
def test_a_measurement_does_not_hold_when_the_disk_has_lost_much_since(
    tmp_path: Path, lost_bytes: int, lost_names: int
) -> None:
    disk = StillDisk(tmp_path)
    quota = Quota(Clock(), statvfs=disk.statvfs, most_files=128, least_free_bytes=0)
    quota.check(tmp_path)
    for number in range(129):
        (tmp_path / str(number)).touch()
    quota.check(tmp_path)

    disk.lose(lost_bytes, lost_names)

    with pytest.raises(RefusedError, match="more than 128 files"):
        quota.check(tmp_path)


def test_a_folder_is_measured_anew_after_a_command_that_was_killed_for_what_it_took(
    tmp_path: Path, sandbox: str
) -> None:
    """Also where the disk does not tell, for what others have removed meanwhile."""
    disk = StillDisk(tmp_path)
    quota = Quota(Clock(), statvfs=disk.statvfs, most_files=500, least_free_bytes=0)
    jail = Bench(tmp_path, sandbox=sandbox, quota=quota)
    assert jail.run("true").exit_code == 0

    assert "more than 500 files" in jail.run("touch {1..2000}; sleep 30").text

    assert "more than 500 files" in jail.refusal(jail.ask("echo ran"))
    jail.system.stop()


def test_a_command_is_refused_when_its_folder_is_full(tmp_path: Path, sandbox: str) -> None:
    quota = Quota(Clock(), most_files=10, least_free_bytes=0)
    jail = Bench(tmp_path, sandbox=sandbox, quota=quota)
    assert jail.run("touch {1..20}").exit_code == 0
    quota.forget(jail.workdir())
    assert "more than 10 files" in jail.refusal(jail.ask("echo ran"))
    jail.system.stop()
