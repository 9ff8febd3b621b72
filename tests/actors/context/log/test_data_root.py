"""The folder that one agent holds."""

from __future__ import annotations

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


def test_it_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    root = DataRoot(tmp_path / "new" / "root")
    root.hold()
    assert root.logs.is_dir()
    assert root.path.stat().st_mode & 0o077 == 0
    root.release()
    root.release()


def test_one_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataRootError, match="file"):
        DataRoot(tmp_path / "file").hold()
