"""Real processes and real kills; five hundred are `agent chaos curated`."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from actors.linux.disk import RealDisk
from lab.chaos.curated import life
from lab.chaos.curated.account import AccountBook, read
from lab.chaos.curated.kills import kill_everywhere
from lab.chaos.curated.life import CutDisk


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")
def test_what_was_staged_stands_once_after_every_kill(tmp_path: Path) -> None:
    numbers, ticks = itertools.count(), list[int]()

    def folder() -> Path:
        path = tmp_path / str(next(numbers))
        path.mkdir()
        return path

    report = kill_everywhere(folder, 8, "test", ticks.append)
    assert report.is_sound, report
    assert report.failures == ()
    assert (report.kills, ticks) == (8, list(range(1, 9)))
    assert report.asked >= report.committed >= report.staged > 0
    assert 0 < report.in_disk_calls == sum(report.calls.values()) <= 8


def test_the_process_dies_in_the_call_of_the_disk_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class DeadError(Exception):
        pass

    def die() -> None:
        raise DeadError

    monkeypatch.setattr(life, "die", die)
    disk = CutDisk(2, AccountBook(tmp_path / "book"), "seed")
    fd = disk.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(DeadError):
        disk.write(fd, b"x" * 1000)
    os.close(fd)
    assert 0 < len((tmp_path / "file").read_bytes()) < 1000
    assert read(tmp_path / "book").cuts == {"write": 1}


def test_a_disk_that_is_not_cut_does_what_the_systems_does(tmp_path: Path) -> None:
    for disk in (RealDisk(), CutDisk(0, AccountBook(tmp_path / "book"), "seed")):
        folder = tmp_path / type(disk).__name__
        disk.make_folder(folder)
        fd = disk.open(folder / "a", os.O_WRONLY | os.O_CREAT)
        disk.write(fd, b"a")
        disk.sync(fd)
        disk.change_mode(fd, 0o640)
        os.close(fd)
        disk.link(folder / "a", folder / "b")
        disk.unlink(folder / "a")
        disk.replace(folder / "b", folder / "c")
        (folder / "d").write_bytes(b"d")
        assert disk.exchange(folder / "c", folder / "d")
        disk.sync_folder(folder)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"c": b"d", "d": b"a"}
        assert (folder / "d").stat().st_mode & 0o777 == 0o640
