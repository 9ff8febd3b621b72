from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from actors.linux.disk import make_durable
from tests.recording_disk import RecordingDisk, TornWrite

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


@pytest.fixture
def disk() -> RecordingDisk:
    return RecordingDisk()


def store_file(disk: RecordingDisk, path: Path, data: bytes) -> int:
    """The descriptor of a new file that would survive with `data`."""
    fd = disk.open(path, NEW)
    disk.write(fd, data)
    disk.sync(fd)
    disk.sync_folder(path.parent)
    return fd


def test_bytes_survive_once_they_are_synced_under_a_name_that_is(disk: RecordingDisk, tmp_path: Path) -> None:
    path = tmp_path / "file"
    fd = disk.open(path, NEW)
    disk.write(fd, b"one")
    disk.sync(fd)
    assert disk.surviving(path) is None
    disk.sync_folder(tmp_path)
    disk.write(fd, b"two")
    assert disk.surviving(path) == b"one"
    disk.sync(fd)
    assert disk.surviving(path) == b"onetwo"
    os.close(fd)


def test_a_name_without_its_bytes_is_an_empty_file(disk: RecordingDisk, tmp_path: Path) -> None:
    fd = disk.open(tmp_path / "file", NEW)
    disk.write(fd, b"one")
    disk.sync_folder(tmp_path)
    assert disk.surviving(tmp_path / "file") == b""
    os.close(fd)


def test_a_file_in_a_folder_that_would_be_lost_is_lost(disk: RecordingDisk, tmp_path: Path) -> None:
    disk.make_folder(tmp_path / "a")
    disk.make_folder(tmp_path / "a" / "b")
    os.close(store_file(disk, tmp_path / "a" / "b" / "file", b"one"))
    disk.sync_folder(tmp_path / "a")
    assert disk.surviving(tmp_path / "a" / "b" / "file") is None
    make_durable(disk, tmp_path, tmp_path / "a" / "b")
    assert disk.surviving(tmp_path / "a" / "b" / "file") == b"one"


def test_a_folder_may_be_named_by_its_descriptor(disk: RecordingDisk, tmp_path: Path) -> None:
    held = os.open(tmp_path, os.O_RDONLY)
    place = Path(f"/proc/self/fd/{held}")
    os.close(store_file(disk, place / "file", b"one"))
    disk.replace(place / "file", place / "other")
    assert (disk.surviving(tmp_path / "file"), disk.surviving(tmp_path / "other")) == (b"one", None)
    disk.sync_folder(place)
    assert (disk.surviving(tmp_path / "file"), disk.surviving(tmp_path / "other")) == (None, b"one")
    os.close(held)


def test_after_a_rename_that_is_not_synced_the_old_content_would_be_back(disk: RecordingDisk, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    os.close(store_file(disk, old, b"old"))
    os.close(store_file(disk, new, b"new"))
    disk.replace(new, old)
    assert (old.read_bytes(), disk.surviving(old), disk.surviving(new)) == (b"new", b"old", b"new")
    disk.sync_folder(tmp_path)
    assert (disk.surviving(old), disk.surviving(new)) == (b"new", None)


def test_after_an_exchange_that_is_not_synced_each_would_be_what_it_was(disk: RecordingDisk, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    assert disk.exchange(tmp_path / "a", tmp_path / "b")
    assert (disk.surviving(tmp_path / "a"), disk.surviving(tmp_path / "b")) == (b"a", b"b")
    disk.sync_folder(tmp_path)
    assert (disk.surviving(tmp_path / "a"), disk.surviving(tmp_path / "b")) == (b"b", b"a")


def test_a_link_and_what_was_unlinked_wait_for_the_folder(disk: RecordingDisk, tmp_path: Path) -> None:
    os.close(store_file(disk, tmp_path / "a", b"a"))
    disk.link(tmp_path / "a", tmp_path / "b")
    disk.unlink(tmp_path / "a")
    assert (disk.surviving(tmp_path / "a"), disk.surviving(tmp_path / "b")) == (b"a", None)
    disk.sync_folder(tmp_path)
    assert (disk.surviving(tmp_path / "a"), disk.surviving(tmp_path / "b")) == (None, b"a")


def test_files_at_risk_are_new_changed_renamed_and_removed_ones(disk: RecordingDisk, tmp_path: Path) -> None:
    for name in ("changed", "old", "gone", "same"):
        os.close(store_file(disk, tmp_path / name, b"one"))
    assert disk.at_risk(tmp_path) == set()
    fd = disk.open(tmp_path / "changed", os.O_WRONLY | os.O_APPEND)
    disk.write(fd, b"two")
    disk.replace(tmp_path / "old", tmp_path / "renamed")
    disk.unlink(tmp_path / "gone")
    disk.make_folder(tmp_path / "folder")
    os.close(store_file(disk, tmp_path / "folder" / "new", b"lost with its folder"))
    assert disk.at_risk(tmp_path) == {"changed", "old", "renamed", "gone", "folder/new"}
    disk.sync(fd)
    disk.sync_folder(tmp_path)
    assert disk.at_risk(tmp_path) == set()
    os.close(fd)


def test_what_was_there_before_is_safe_until_it_is_written_to(disk: RecordingDisk, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before ")
    assert disk.surviving(path) == b"before "
    fd = disk.open(path, os.O_WRONLY | os.O_APPEND)
    disk.write(fd, b"after")
    assert disk.surviving(path) == b"before "
    disk.sync(fd)
    assert disk.surviving(path) == b"before after"
    os.close(fd)


def test_a_power_loss_leaves_what_would_survive(disk: RecordingDisk, tmp_path: Path) -> None:
    (tmp_path / "before").write_bytes(b"before")
    fd = store_file(disk, tmp_path / "file", b"one")
    disk.write(fd, b"two")
    os.close(fd)
    disk.make_folder(tmp_path / "folder")
    os.close(store_file(disk, tmp_path / "folder" / "file", b"lost with its folder"))
    disk.lose_power()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"before": b"before", "file": b"one"}
    assert disk.surviving(tmp_path / "file") == b"one"


def test_a_call_can_be_failed_and_a_write_be_torn(tmp_path: Path) -> None:
    def full(call: str, data: bytes) -> None:
        if call == "write":
            raise TornWrite(data[:2], OSError(errno.ENOSPC, "full"))
        if call == "sync":
            raise OSError(errno.EIO, "failed")

    disk = RecordingDisk(before=full)
    fd = disk.open(tmp_path / "file", NEW)
    with pytest.raises(OSError, match="full"):
        disk.write(fd, b"words")
    with pytest.raises(OSError, match="failed"):
        disk.sync(fd)
    assert (tmp_path / "file").read_bytes() == b"wo"
    disk.before = lambda call, data: None
    disk.write(fd, b"rds")
    disk.sync(fd)
    disk.sync_folder(tmp_path)
    assert disk.surviving(tmp_path / "file") == b"words"
    os.close(fd)


@pytest.mark.timeout(30)
def test_a_pipe_is_opened_and_not_waited_for(disk: RecordingDisk, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.close(disk.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK))
