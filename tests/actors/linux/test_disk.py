from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from actors.linux.disk import (
    SECRET_FILES,
    RealDisk,
    make_durable,
    make_folders,
    put_secret,
    put_whole,
    secret_names,
    write_all,
)
from tests.recording_disk import RecordingDisk, TornWrite


def test_a_sync_is_asked_of_the_system(tmp_path: Path, system_syncs: list[tuple[str, str]]) -> None:
    disk, path = RealDisk(), tmp_path / "file"
    fd = disk.open(path, os.O_WRONLY | os.O_CREAT)
    assert disk.write(fd, b"words") == 5
    assert system_syncs == []
    disk.sync(fd)
    os.close(fd)
    disk.sync_folder(tmp_path)
    disk.sync_all()
    assert system_syncs == [("fdatasync", str(path)), ("fsync", str(tmp_path)), ("sync", "")]
    assert path.read_bytes() == b"words"


def test_folders_are_synced_up_to_the_one_that_was_there(tmp_path: Path, system_syncs: list[tuple[str, str]]) -> None:
    disk = RealDisk()
    disk.make_folder(tmp_path / "a")
    disk.make_folder(tmp_path / "a" / "b")
    make_durable(disk, tmp_path, tmp_path / "a" / "b")
    assert [path for _, path in system_syncs] == [str(tmp_path / "a" / "b"), str(tmp_path / "a"), str(tmp_path)]
    system_syncs.clear()
    make_durable(disk, tmp_path, tmp_path / "a" / "b", tmp_path / "a")
    assert [path for _, path in system_syncs] == [str(tmp_path / "a" / "b"), str(tmp_path / "a"), str(tmp_path)]
    with pytest.raises(ValueError, match="subpath"):
        make_durable(disk, tmp_path / "a", tmp_path)


def test_names_are_given_taken_and_exchanged(tmp_path: Path) -> None:
    disk = RealDisk()
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    disk.link(tmp_path / "a", tmp_path / "c")
    disk.replace(tmp_path / "b", tmp_path / "a")
    disk.exchange(tmp_path / "a", tmp_path / "c")
    disk.unlink(tmp_path / "c")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "a"}


def test_files_and_folders_are_their_owners_alone(tmp_path: Path) -> None:
    disk = RealDisk()
    disk.make_folder(tmp_path / "folder")
    disk.make_folder(tmp_path / "folder")
    fd = disk.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    assert not os.get_inheritable(fd)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("folder", "file")]
    disk.change_mode(fd, 0o444)
    os.close(fd)
    assert (modes, stat.S_IMODE((tmp_path / "file").stat().st_mode)) == ([0o700, 0o600], 0o444)


def test_folders_are_made_with_names_that_survive(tmp_path: Path) -> None:
    disk = RecordingDisk()
    make_folders(disk, tmp_path / "a" / "b")
    fd = disk.open(tmp_path / "a" / "b" / "file", os.O_WRONLY | os.O_CREAT)
    write_all(disk, fd, b"words")
    os.close(fd)
    disk.sync_folder(tmp_path / "a" / "b")
    assert disk.at_risk(tmp_path) == set()


class Killed(BaseException):
    """The process ends in a call of the disk."""


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), Killed()])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_folders_are_made_with_names_that_survive_though_a_sync_ended_the_first_attempt(
    tmp_path: Path, number: int, error: BaseException
) -> None:
    disk, syncs, folder = RecordingDisk(), list[str](), tmp_path / "a" / "b" / "c"

    def fail(name: str, _data: bytes) -> None:
        if name == "sync_folder":
            syncs.append(name)
            if len(syncs) == number:
                raise error

    disk.before = fail
    with pytest.raises(type(error)):
        make_folders(disk, folder)
    make_folders(disk, folder)
    put_whole(disk, folder / "file", b"words")
    assert disk.at_risk(tmp_path) == set()


@pytest.mark.parametrize("code", [errno.EACCES, errno.EINVAL])
def test_folders_are_made_below_the_root_of_a_file_system_that_lies_in_a_folder_that_cannot_be_synced(
    tmp_path: Path, code: int
) -> None:
    codes = [code]

    def fail(name: str, _data: bytes) -> None:
        if name == "sync_folder" and codes:  # an automounter's folder, say
            raise OSError(codes.pop(), os.strerror(code))

    disk = RecordingDisk(before=fail)
    make_folders(disk, tmp_path / "a" / "b")
    assert disk.at_risk(tmp_path) == set()
    assert codes == []


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_folder_whose_name_cannot_be_synced_is_not_left_as_if_it_were_safe(tmp_path: Path, number: int) -> None:
    disk, syncs, folder = RecordingDisk(), list[str](), tmp_path / "a" / "b" / "c"

    def fail(name: str, _data: bytes) -> None:
        if name == "sync_folder":
            syncs.append(name)
            if len(syncs) == number:
                raise OSError(errno.EIO, os.strerror(errno.EIO))

    disk.before = fail
    with pytest.raises(OSError, match="Input/output error"):
        make_folders(disk, folder)
    assert not folder.exists()


@pytest.mark.parametrize("stops_at", [None, "open", "write", "sync", "replace", "sync_folder"])
def test_a_whole_file_takes_the_place_of_what_was_there_or_nothing_does(tmp_path: Path, stops_at: str | None) -> None:
    path, disk = tmp_path / "file", RecordingDisk()
    put_whole(disk, path, b"old")
    (tmp_path / ".file.new").write_bytes(b"what a crash left")

    def fail(name: str, _data: bytes) -> None:
        if name == stops_at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    disk.before = fail
    if stops_at is None:
        put_whole(disk, path, b"new")
    else:
        with pytest.raises(OSError, match="Input/output error"):
            put_whole(disk, path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == (b"new" if stops_at in (None, "sync_folder") else b"old")
    assert disk.surviving(path) == (b"new" if stops_at is None else b"old")


def test_what_need_not_be_durable_waits_for_nothing_and_is_whole_all_the_same(tmp_path: Path) -> None:
    path, disk = tmp_path / "file", RecordingDisk()
    steps = list[str]()
    disk.before = lambda name, _data: steps.append(name)

    put_whole(disk, path, b"new", is_durable=False)

    assert path.read_bytes() == b"new"
    assert [step for step in steps if step in ("write", "replace", "sync", "sync_folder")] == ["write", "replace"]


def test_all_is_written_though_each_write_takes_a_part(tmp_path: Path) -> None:
    disk, written = RecordingDisk(), tmp_path / "file"

    def tear(name: str, data: bytes) -> None:
        if name == "write" and len(data) > 2:
            raise TornWrite(data[:2])

    disk.before = tear
    put_whole(disk, written, b"seven!!")
    assert disk.surviving(written) == b"seven!!"


def test_a_disk_that_takes_nothing_and_says_so_is_no_disk(tmp_path: Path) -> None:
    disk = RecordingDisk()

    def tear(name: str, _data: bytes) -> None:
        if name == "write":
            raise TornWrite(b"")

    disk.before = tear
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="only 0 of 3 bytes could be written"):
        put_whole(disk, tmp_path / "file", b"new")
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def test_a_secret_file_is_for_its_owner_alone_and_whole(tmp_path: Path) -> None:
    for name in SECRET_FILES:
        (tmp_path / name).write_text("an older one")
        (tmp_path / name).chmod(0o644)

        put_secret(tmp_path, name, "a token", is_durable=False)

        assert (tmp_path / name).read_text() == "a token"
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(SECRET_FILES)


def test_a_secret_file_that_is_not_on_the_list_of_backups_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'new\.key': must be one of"):
        put_secret(tmp_path, "new.key", "a token")
    assert not any(tmp_path.iterdir())
    assert secret_names() >= {*SECRET_FILES, *(f".{name}.new" for name in SECRET_FILES)}, "a kill may leave the draft"
