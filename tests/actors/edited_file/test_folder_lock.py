"""Locks: writers see each other, and a recovery sees that no writer is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.edited_file.access import FileRefusedError
from actors.edited_file.folder_lock import FolderLock, FolderLocks


def test_writers_share_it_and_a_recovery_has_it_alone(tmp_path: Path) -> None:
    one, two, three = (FolderLock(tmp_path) for _ in range(3))
    assert one.share()
    assert two.share()
    assert not three.own()
    two.close()
    assert one.own()
    assert not three.share()
    one.close()
    assert three.own()
    three.close()
    assert list(tmp_path.iterdir()) == []


def test_whoever_recovers_while_another_writes_is_refused_and_may_later(tmp_path: Path) -> None:
    writer, starter = FolderLocks(), FolderLocks()
    writer.announce(tmp_path)
    writer.announce(tmp_path)
    with pytest.raises(FileRefusedError, match="another program"), starter.alone(tmp_path):
        raise AssertionError("nobody is alone here")
    writer.keep(())
    with starter.alone(tmp_path):
        assert not FolderLock(tmp_path).share()


def test_a_writer_that_is_not_let_in_says_so_and_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hostile = FolderLock(tmp_path)
    assert hostile.own()
    FolderLocks().announce(tmp_path)
    assert "it is written all the same" in caplog.text


def test_one_that_writes_already_looks_alone_and_goes_on_writing(tmp_path: Path) -> None:
    locks, other = FolderLocks(), FolderLock(tmp_path)
    locks.announce(tmp_path)
    with locks.alone(tmp_path):
        assert not other.share()
    assert other.share()
    assert not other.own()


def test_a_writer_whose_recovery_is_refused_is_still_known_to_write(tmp_path: Path) -> None:
    writer, other, starter = FolderLocks(), FolderLocks(), FolderLocks()
    writer.announce(tmp_path)
    other.announce(tmp_path)
    with pytest.raises(FileRefusedError, match="another program"), writer.alone(tmp_path):
        raise AssertionError("nobody is alone here")
    other.keep(())
    with pytest.raises(FileRefusedError, match="another program"), starter.alone(tmp_path):
        raise AssertionError("nobody is alone here")


def test_a_writer_whose_recovery_fails_lets_others_write(tmp_path: Path) -> None:
    locks, other = FolderLocks(), FolderLock(tmp_path)
    locks.announce(tmp_path)
    with pytest.raises(OSError, match="the disk"), locks.alone(tmp_path):
        raise OSError("the disk")
    assert other.share()
