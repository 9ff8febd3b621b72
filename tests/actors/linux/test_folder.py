from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from actors.linux.folder import MOST_LEVELS, SLICE, TooDeepError, Usage, open_folder, remove_tree, usage
from tests.ordinary_user import as_ordinary_user


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
def nested_folders(folder: Path, levels: int) -> Iterator[None]:
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


def test_counting_stops_beyond_the_limit(tmp_path: Path) -> None:
    for folder in range(4):
        (tmp_path / str(folder)).mkdir()
        for number in range(600):
            (tmp_path / str(folder) / str(number)).touch()
    assert total(tmp_path, 1_000).files == 1_001
    assert total(tmp_path, 10_000).files == 2_404


def test_counting_pauses_on_the_way_however_the_folders_lie(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """A count beside a command must pause for other checks, and may end the command."""
    for number, (folders, files) in enumerate([(0, 2_000), (40, 40), (1_000, 0), (1_000, 1)]):
        with subtests.test(folders=folders, files=files):
            root = tmp_path / str(number)
            root.mkdir()
            for folder in [root / f"folder {number}" for number in range(folders)] or [root]:
                folder.mkdir(exist_ok=True)
                for number in range(files):
                    (folder / str(number)).touch()
            opened = open_folder(str(root))
            counted = [each.files for each in usage(opened, 1_000_000)]
            os.close(opened)
            steps = counted[-1] + folders + 1
            assert len(counted) == steps // SLICE + 1
            assert max(after - before for before, after in zip([0, *counted], counted, strict=False)) <= SLICE


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


def test_a_folder_that_its_owner_shut_is_opened_up(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    with as_ordinary_user():
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

    with nested_folders(tree, 1_500):
        here = open_folder(str(tmp_path))
        for name in ("tree", "link", "missing"):
            remove_tree(name, here)
        os.close(here)

    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
    assert [path.name for path in outside.iterdir()] == ["kept"]


def test_folders_that_their_owner_may_only_read_are_removed_as_all_others(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, mode in enumerate([0o000, 0o400, 0o500, 0o600]):
        with subtests.test(mode=mode):
            root = tmp_path / str(number)
            root.mkdir()
            shut = [root / "tree" / name for name in ("", "a", "a/b", "a/b/c")]
            for folder in shut:
                folder.mkdir()
                (folder / "file").touch()
            for folder in reversed(shut):
                folder.chmod(mode)
            here = open_folder(str(root))
            with as_ordinary_user():
                remove_tree("tree", here)
            os.close(here)
            assert list(root.iterdir()) == []
