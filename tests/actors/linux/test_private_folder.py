"""Folders for their owner alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.linux.private_folder import make_private


def test_whatever_the_umask_each_folder_that_was_missing_is_its_owners_and_no_other_is_changed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there").chmod(0o755)
    before = os.umask(0)
    try:
        make_private(tmp_path / "there" / "a" / "b")
        make_private(tmp_path / "there" / "a" / "b")
        make_private(tmp_path / "there")
    finally:
        os.umask(before)

    modes = [(tmp_path / "there" / name).stat().st_mode & 0o777 for name in (".", "a", "a/b")]
    assert modes == [0o755, 0o700, 0o700]


@pytest.mark.parametrize("name", ["file", "file/below", "gone", "gone/below"])
def test_what_is_in_the_way_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OSError, match=name.partition("/")[0]):
        make_private(tmp_path / name)


def test_no_actor_makes_folders_above_folders_in_another_way() -> None:
    sources = (file for file in (Path(__file__).parents[3] / "actors").rglob("*.py"))
    others = [file.name for file in sources if "parents=True" in file.read_text()]

    assert others == ["log_visibility.py"]  # mount points in a sandbox
