"""The folder that one agent holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.context.log.data_root import DataRoot, DataRootError


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


def test_one_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataRootError, match="file"):
        DataRoot(tmp_path / "file").hold()
