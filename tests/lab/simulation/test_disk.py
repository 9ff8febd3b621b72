"""The simulated disk: what a power loss leaves, and what a process that dies in a call has written."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from lab.simulation.chance import Chance, Killed
from lab.simulation.disk import FULL, QUOTA, SimulatedDisk

_NEW = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def _disk(root: Path, seed: int = 1) -> SimulatedDisk:
    (root / "data").mkdir()
    (root / "graveyard").mkdir()
    return SimulatedDisk(root / "data", root / "graveyard", Chance(seed), lambda _line: None)


def _sync_folder(disk: SimulatedDisk, folder: Path) -> None:
    fd = disk.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    disk.sync(fd)
    disk.close(fd)


def test_what_is_synced_with_its_name_survives_a_power_loss(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for seed in range(20):
        with subtests.test(seed=seed):
            folder = Path(tempfile.mkdtemp(dir=tmp_path))
            disk, path = _disk(folder, seed), folder / "data" / "log"
            fd = disk.open(path, _NEW)
            disk.write(fd, b"kept")
            disk.sync(fd)
            _sync_folder(disk, path.parent)
            disk.write(fd, b" lost")
            disk.lose_power()
            assert path.read_bytes().startswith(b"kept")


def _outcomes(root: Path, *, syncs_file: bool, syncs_folder: bool) -> set[bytes | None]:
    contents = set[bytes | None]()
    for seed in range(60):
        (root / str(seed)).mkdir()
        disk, path = _disk(root / str(seed), seed), root / str(seed) / "data" / "log"
        fd = disk.open(path, _NEW)
        disk.write(fd, b"words")
        if syncs_file:
            disk.sync(fd)
        if syncs_folder:
            _sync_folder(disk, path.parent)
        disk.lose_power()
        contents.add(path.read_bytes() if path.exists() else None)
        os.close(fd)
    return contents


def test_a_folder_may_be_named_by_its_descriptor(tmp_path: Path) -> None:
    root, calls = tmp_path / "data", list[str]()
    root.mkdir()
    disk = SimulatedDisk(root, tmp_path, Chance(1), calls.append)
    folder = disk.open(root, os.O_RDONLY | os.O_DIRECTORY)
    disk.close(disk.open(f"/proc/self/fd/{folder}/log", _NEW))
    disk.rename(f"/proc/self/fd/{folder}/log", f"/proc/self/fd/{folder}/named")
    disk.close(folder)
    assert calls == ["open log", "rename named"]


def test_bytes_that_are_not_synced_may_go(tmp_path: Path) -> None:
    assert b"" in _outcomes(tmp_path, syncs_file=False, syncs_folder=True)


def test_a_name_whose_folder_is_not_synced_may_go_with_all_its_bytes(tmp_path: Path) -> None:
    assert _outcomes(tmp_path, syncs_file=True, syncs_folder=False) == {None, b"words"}


def test_a_file_that_was_replaced_may_be_back(tmp_path: Path) -> None:
    back = set[bytes]()
    for seed in range(40):
        (tmp_path / str(seed)).mkdir()
        disk, folder = _disk(tmp_path / str(seed), seed), tmp_path / str(seed) / "data"
        for name in ("old", "new"):
            fd = disk.open(folder / name, _NEW)
            disk.write(fd, name.encode())
            disk.sync(fd)
            disk.close(fd)
        _sync_folder(disk, folder)
        disk.rename(folder / "new", folder / "old")
        disk.lose_power()
        back.add((folder / "old").read_bytes())
    assert back == {b"old", b"new"}


def test_a_rename_out_of_a_folder_that_was_removed_since_stays(tmp_path: Path) -> None:
    """A tree is removed from its root by moving folders up; the removal of a folder counts as durable."""
    for seed in range(10):
        (tmp_path / str(seed)).mkdir()
        disk, folder = _disk(tmp_path / str(seed), seed), tmp_path / str(seed) / "data"
        disk.mkdir(folder / "deep")
        disk.mkdir(folder / "deep" / "deeper")
        disk.rename(folder / "deep" / "deeper", folder / "up")
        (folder / "deep").rmdir()
        disk.lose_power()
        assert {each.name for each in folder.iterdir()} <= {"up"}


def test_a_process_that_dies_in_a_write_has_written_a_part_and_writes_nothing_more(tmp_path: Path) -> None:
    disk, path = _disk(tmp_path), tmp_path / "data" / "log"
    fd = disk.open(path, _NEW)
    disk.dies_at = disk.calls + 1
    with pytest.raises(Killed):
        disk.write(fd, b"0123456789")
    part = path.read_bytes()
    assert b"0123456789".startswith(part)
    with pytest.raises(Killed):
        disk.write(fd, b"more")
    assert path.read_bytes() == part


def test_a_full_disk_takes_no_more_than_a_part(tmp_path: Path) -> None:
    disk, path = _disk(tmp_path), tmp_path / "data" / "log"
    fd = disk.open(path, _NEW)
    disk.fault = FULL
    written = []
    for _ in range(20):
        with suppress(OSError):
            written.append(disk.write(fd, b"0123456789"))
    assert 0 < len(written) < 20
    assert any(count < 10 for count in written)


def test_a_second_name_that_was_removed_may_be_back_and_names_the_same_file(tmp_path: Path) -> None:
    """An unsynced removal adds no name to the count of names."""
    back = set[int]()
    for seed in range(40):
        (tmp_path / str(seed)).mkdir()
        disk, folder = _disk(tmp_path / str(seed), seed), tmp_path / str(seed) / "data"
        fd = disk.open(folder / "one", _NEW)
        disk.sync(fd)
        disk.close(fd)
        disk.link(folder / "one", folder / "other")
        _sync_folder(disk, folder)
        disk.unlink(folder / "other")
        assert (folder / "one").stat().st_nlink == 1
        disk.lose_power()
        back.add((folder / "one").stat().st_nlink)
    assert back == {1, 2}


def test_a_descriptor_that_python_closed_itself_is_not_closed_again(tmp_path: Path) -> None:
    disk, path = _disk(tmp_path), tmp_path / "data" / "log"
    with os.fdopen(disk.open(path, _NEW), "wb"):
        pass
    other = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    disk.die()
    os.close(other)


@pytest.mark.req("X-257")
def test_a_late_fault_takes_the_bytes_since_the_last_sync_and_is_told_by_sync_and_close(tmp_path: Path) -> None:
    disk, path = _disk(tmp_path), tmp_path / "data" / "log"
    fd = disk.open(path, _NEW)
    disk.write(fd, b"kept")
    disk.sync(fd)
    disk.fault, disk.is_late = QUOTA, True
    for tell in (disk.sync, disk.close):
        disk.write(fd, b" lost")
        with pytest.raises(OSError, match="quota exceeded"):
            tell(fd)
        assert path.read_bytes() == b"kept"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


@pytest.mark.req("X-257")
def test_a_stale_descriptor_is_refused_and_the_name_can_be_opened_anew(tmp_path: Path) -> None:
    disk, path = _disk(tmp_path), tmp_path / "data" / "log"
    fd = disk.open(path, _NEW)
    disk.grow_stale()
    for call in (lambda: disk.write(fd, b"x"), lambda: disk.sync(fd)):
        with pytest.raises(OSError, match="Stale file handle"):
            call()
    disk.close(fd)
    other = disk.open(path, _NEW)
    assert disk.write(other, b"x") == 1
    disk.close(other)
