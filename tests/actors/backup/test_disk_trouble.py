"""A disk that is full, refuses or alters what is copied, and the order in which a backup reaches it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from actors.backup import sums
from actors.backup.sums import BackupError
from actors.linux.disk import RealDisk
from tests.actors.backup.roots import REMINDER, back_up, make_root
from tests.ordinary_user import as_ordinary_user


class FailingDisk(RealDisk):
    """Disk that takes no file of one name, or none after so many."""

    def __init__(self, code: int, name: str = "", takes: int = 1_000) -> None:
        self._code, self._name, self._left = code, name, takes

    def open(self, path: Path, flags: int, mode: int = 0o600, /) -> int:
        self._left -= 1
        if path.name == self._name or self._left < 0:
            raise OSError(self._code, os.strerror(self._code))
        return super().open(path, flags, mode)


def test_a_full_disk_gets_its_room_back(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    with pytest.raises(BackupError, match="No space left on device; the copied files were removed"):
        back_up(root, tmp_path / "b", disk=FailingDisk(errno.ENOSPC, takes=3))
    assert not (tmp_path / "b").exists()


class NotingDisk(RealDisk):
    """Disk with a record of the syncs and renames."""

    def __init__(self, steps: list[str]) -> None:
        self._steps = steps

    def sync_all(self) -> None:
        self._steps.append("sync everything")

    def sync(self, fd: int, /) -> None:
        self._steps.append(f"sync {os.fstat(fd).st_size} bytes")
        super().sync(fd)

    def replace(self, path: Path, other: Path, /) -> None:
        self._steps.append("rename")
        super().replace(path, other)


def test_a_backup_is_on_the_disk_before_its_sums_say_so_and_the_sums_before_they_have_their_name(
    tmp_path: Path,
) -> None:
    steps: list[str] = []

    def note(doing: str, _done: int) -> None:
        if doing == "verifying":
            steps.append("verify")

    root = tmp_path / "data"
    root.mkdir()
    (root / "reminders.md").write_text(REMINDER)
    back_up(root, tmp_path / "b", progress=note, disk=NotingDisk(steps))
    size = (tmp_path / "b" / sums.NAME).stat().st_size
    assert steps == ["sync everything", "verify", f"sync {size} bytes", "rename", "sync everything"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_no_trouble_of_a_file_that_commands_made(tmp_path: Path, code: int) -> None:
    """A backup without that file would not be told from a whole one."""
    with pytest.raises(BackupError, match=os.strerror(code)):
        back_up(make_root(tmp_path / "data"), tmp_path / "b", disk=FailingDisk(code, "notes.txt"))


def test_a_file_that_commands_made_unreadable_is_named_and_the_rest_is_copied(tmp_path: Path) -> None:
    made = back_up(make_root(tmp_path / "data"), tmp_path / "b", disk=FailingDisk(errno.EACCES, "notes.txt"))
    assert ["notes.txt" in each for each in made.left_out] == [True]
    assert (tmp_path / "b/root/reminders.md").exists()


def test_a_log_that_cannot_be_read_fails_the_backup(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    next((root / "logs/discord-thread").glob("*/*.md")).chmod(0)
    with as_ordinary_user(), pytest.raises(BackupError, match="Permission denied"):
        back_up(root, tmp_path / "b")


class AlteringDisk(RealDisk):
    """Disk that keeps another first byte of one file."""

    def write(self, fd: int, data: bytes, /) -> int:
        name = Path(f"/proc/self/fd/{fd}").readlink().name
        return super().write(fd, b"!" + data[1:] if name == "cat.png" else data)


def test_a_copy_that_the_disk_altered_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match=r"cat\.png.*is not what was copied"):
        back_up(make_root(tmp_path / "data"), tmp_path / "b", disk=AlteringDisk())
