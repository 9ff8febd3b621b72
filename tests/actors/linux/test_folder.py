from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from actors.linux.folder import MOST_LEVELS, TooDeepError, Usage, open_folder, remove_tree, usage


def nest(folder: Path, levels: int, name: str = "x" * 200) -> None:
    """Folders within folders, deeper than a path can name."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@contextmanager
def nested(folder: Path, levels: int) -> Iterator[None]:
    """A folder so deep that pytest could not clean it up."""
    nest(folder, levels)
    try:
        yield
    finally:
        here = open_folder(str(folder.parent))
        remove_tree(folder.name, here)
        os.close(here)


def total(folder: Path, most_files: int = 1_000_000) -> Usage:
    opened = open_folder(str(folder))
    try:
        return list(usage(opened, most_files))[-1]
    finally:
        os.close(opened)


def test_all_kinds_count_and_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_bytes(bytes(8192))
    (tmp_path / "everything").symlink_to("/")
    os.mkfifo(tmp_path / "pipe")
    counted = total(tmp_path)
    assert counted.files == 5
    assert 8192 <= counted.bytes < 100_000


def test_counting_stops_beyond_the_limit_and_pauses_on_the_way(tmp_path: Path) -> None:
    for folder in range(4):
        (tmp_path / str(folder)).mkdir()
        for number in range(600):
            (tmp_path / str(folder) / str(number)).touch()
    opened = open_folder(str(tmp_path))
    assert [counted.files for counted in usage(opened, 1_000)] == [604, 1_001]
    assert len(list(usage(opened, 10_000))) == 5
    os.close(opened)


def test_deep_folders_are_counted_up_to_a_limit_and_no_descriptor_is_lost(tmp_path: Path) -> None:
    nest(tmp_path, MOST_LEVELS)
    assert total(tmp_path).files == MOST_LEVELS
    before = len(list(Path("/proc/self/fd").iterdir()))
    (tmp_path / "deeper").mkdir()
    nest(tmp_path / "deeper", MOST_LEVELS)
    with pytest.raises(TooDeepError):
        total(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_neither_a_link_nor_a_pipe_is_opened_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    here = open_folder(str(tmp_path))
    for name in ("link", "pipe", "missing"):
        with pytest.raises(OSError, match=name):
            open_folder(name, here)
    os.close(here)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is shut to root")
def test_a_folder_that_its_owner_shut_is_opened_up(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    os.close(open_folder(str(tmp_path / "shut")))
    assert (tmp_path / "shut").stat().st_mode & 0o777 == 0o700


def test_whatever_it_is_it_is_removed_and_nothing_beside_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    tree = tmp_path / "tree"
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "link").symlink_to(outside)
    os.mkfifo(tree / "a" / "b" / "pipe")
    (tree / ".1").mkdir()
    (tree / ".2").touch()
    (tree / "shut").mkdir(mode=0)
    (tmp_path / "link").symlink_to(outside)

    with nested(tree, 1_500):
        here = open_folder(str(tmp_path))
        for name in ("tree", "link", "missing"):
            remove_tree(name, here)
        os.close(here)

    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
    assert [path.name for path in outside.iterdir()] == ["kept"]
