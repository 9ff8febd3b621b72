"""Data root, held by one agent."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from actors.context.log.data_root import DataRoot, DataRootError
from tests.ordinary_user import as_ordinary_user


@pytest.mark.req("C-26")
def test_two_agents_cannot_hold_one_data_root(tmp_path: Path) -> None:
    first = DataRoot(tmp_path)
    first.hold()
    with pytest.raises(DataRootError, match=r"another agent uses it \(process \d+\)"):
        DataRoot(tmp_path).hold()
    first.release()
    second = DataRoot(tmp_path)
    second.hold()
    second.release()


def test_it_and_what_is_missing_above_it_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    root = DataRoot(tmp_path / "new" / "more" / "root")
    before = os.umask(0)
    try:
        root.hold()
    finally:
        os.umask(before)
    folders = (root.path.parent.parent, root.path.parent, root.path, root.logs, root.work)
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700] * 5
    root.release()
    root.release()


def test_one_whose_path_is_no_utf8_is_refused_and_not_made(tmp_path: Path) -> None:
    root = DataRoot(tmp_path / os.fsdecode(b"\xff"))
    with pytest.raises(DataRootError, match="its path must be UTF-8"):
        root.hold()
    assert not root.path.exists()


def test_one_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataRootError, match="file"):
        DataRoot(tmp_path / "file").hold()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_without_any_room_lets_an_agent_hold_it(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = DataRoot(tmp_path)
    root.hold()
    root.release()

    def full(*_arguments: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        for call in ("pwrite", "posix_fallocate", "mkdir"):
            patch.setattr(os, call, full)
        root.hold()
        assert root.is_held()
    root.release()


def test_a_disk_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with as_ordinary_user(), pytest.raises(DataRootError, match="cannot be written: Permission denied"):
        DataRoot(tmp_path).hold()
    tmp_path.chmod(0o700)


def test_whoever_holds_it_is_named_whole_however_long_the_number_before_was(tmp_path: Path) -> None:
    (tmp_path / "agent.lock").write_text("4194303\n")
    root = DataRoot(tmp_path)
    root.hold()
    with pytest.raises(DataRootError, match=rf"\(process {os.getpid()}\)"):
        DataRoot(tmp_path).hold()
    root.release()
