"""A disk that is full, refuses or alters what is copied, and the order in which a backup reaches it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.backup import copying, sums
from actors.backup.sums import BackupError
from tests.actors.backup.roots import REMINDER, back_up, make_root
from tests.ordinary_user import as_ordinary_user


def test_a_full_disk_gets_its_room_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_root(tmp_path / "data")
    real, copies = copying._copy_bytes, iter(range(4))

    def copy(fd: int, there: Path, size: int) -> str:
        if next(copies) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(fd, there, size)

    monkeypatch.setattr(copying, "_copy_bytes", copy)
    with pytest.raises(BackupError, match="No space left on device; what had been copied was removed"):
        back_up(root, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_backup_is_on_the_disk_before_its_sums_say_so_and_the_sums_before_they_have_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def noted(call: Callable[..., object], words: Callable[..., str]) -> Callable[..., object]:
        def act(*given: object) -> object:
            steps.append(words(*given))
            return call(*given)

        return act

    monkeypatch.setattr(os, "sync", noted(lambda: None, lambda: "sync everything"))
    monkeypatch.setattr(os, "fsync", noted(os.fsync, lambda fd: f"sync {os.fstat(fd).st_size} bytes"))
    monkeypatch.setattr(copying, "verify", noted(sums.verify, lambda *_: "verify"))
    monkeypatch.setattr(Path, "rename", noted(Path.rename, lambda *_: "rename"))
    root = tmp_path / "data"
    root.mkdir()
    (root / "reminders.md").write_text(REMINDER)
    back_up(root, tmp_path / "b")
    size = (tmp_path / "b" / sums.NAME).stat().st_size
    assert steps == ["sync everything", "verify", f"sync {size} bytes", "rename", "sync everything"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_no_trouble_of_a_file_that_commands_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """A backup without that file would not be told from a whole one."""
    _fail_at(monkeypatch, "notes.txt", code)
    with pytest.raises(BackupError, match=os.strerror(code)):
        back_up(make_root(tmp_path / "data"), tmp_path / "b")


def test_a_file_that_commands_made_unreadable_is_named_and_the_rest_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fail_at(monkeypatch, "notes.txt", errno.EACCES)
    made = back_up(make_root(tmp_path / "data"), tmp_path / "b")
    assert ["notes.txt" in each for each in made.left_out] == [True]
    assert (tmp_path / "b/root/reminders.md").exists()


def _fail_at(monkeypatch: pytest.MonkeyPatch, name: str, code: int) -> None:
    real = copying._copy_bytes

    def copy(fd: int, there: Path, size: int) -> str:
        if there.name == name:
            raise OSError(code, os.strerror(code))
        return real(fd, there, size)

    monkeypatch.setattr(copying, "_copy_bytes", copy)


def test_a_log_that_cannot_be_read_fails_the_backup(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    next((root / "logs/discord-thread").glob("*/*.md")).chmod(0)
    with as_ordinary_user(), pytest.raises(BackupError, match="Permission denied"):
        back_up(root, tmp_path / "b")


def test_a_copy_that_the_disk_altered_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = copying._copy_bytes

    def copy(fd: int, there: Path, size: int) -> str:
        result = real(fd, there, size)
        if there.name == "cat.png":
            there.write_bytes(b"!" + there.read_bytes()[1:])
        return result

    monkeypatch.setattr(copying, "_copy_bytes", copy)
    with pytest.raises(BackupError, match=r"cat\.png.*is not what was copied"):
        back_up(make_root(tmp_path / "data"), tmp_path / "b")
