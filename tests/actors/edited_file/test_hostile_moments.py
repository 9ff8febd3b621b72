"""Edits while a trap comes to a name in their folder, at each moment: no words are lost, and none come from elsewhere."""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from pathlib import Path

import pytest

from actors.edited_file.access import Access, FileRefusedError
from actors.edited_file.displaced import leftover_path
from actors.linux.disk import RealDisk
from tests.actors.edited_file.hostile_folder import (
    OURS,
    THEIRS,
    Folder,
    Trap,
    clear,
    put_link,
    swap,
    swapped_at_every_moment,
    traps,
)


@traps
@pytest.mark.parametrize("begins_empty", [False, True])
def test_a_trap_that_comes_to_the_files_name_at_any_moment_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: Trap, begins_empty: bool
) -> None:
    def act(folder: Folder) -> None:
        swap(folder.path, trap, folder)

    for folder, _ in swapped_at_every_moment(tmp_path, monkeypatch, act, begins_empty=begins_empty):
        holds_ours = stat.S_ISREG(folder.path.lstat().st_mode) and OURS in folder.path.read_bytes()
        if not holds_ours:
            clear(folder.path)
            folder.path.touch()  # an empty folder may be that of a disk which is not there
        assert folder.file().leftovers() == []
        folder.edit(word=b"more").abandon()
        folder.check_secret()
        assert b"more" in folder.path.read_bytes()
        assert folder.agents_names() == []


@traps
@pytest.mark.parametrize("begins_empty", [False, True])
def test_a_trap_that_comes_to_a_name_of_the_agents_at_any_moment_leads_nowhere_and_no_words_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: Trap, begins_empty: bool
) -> None:
    def act(folder: Folder) -> None:
        for each in folder.agents_names():
            swap(each, trap, folder)

    for folder, is_done in swapped_at_every_moment(tmp_path, monkeypatch, act, begins_empty=begins_empty):
        if not is_done and not begins_empty:
            assert THEIRS in folder.path.read_bytes()
        if not is_done and begins_empty:
            clear(folder.path)  # a trap, if anything
        folder.file().leftovers()
        folder.edit().abandon()
        folder.check_secret()
        assert begins_empty or THEIRS in folder.path.read_bytes()
        assert OURS in folder.path.read_bytes()
        assert folder.agents_names() == []


def test_a_name_of_the_agents_that_goes_away_at_any_moment_leaves_nothing_owed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(folder: Folder) -> None:
        for number, each in enumerate(folder.agents_names()):
            each.rename(folder.work / f"aside {number}")

    for folder, is_done in swapped_at_every_moment(tmp_path, monkeypatch, act):
        assert THEIRS in folder.path.read_bytes()
        assert OURS in folder.path.read_bytes() or not is_done


def test_a_folder_with_words_of_somebodys_at_any_moment_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(folder: Folder) -> None:
        folder.path.rename(folder.work / "aside")
        folder.path.mkdir()
        (folder.path / "precious").write_bytes(b"precious")

    for folder, _ in swapped_at_every_moment(tmp_path, monkeypatch, act):
        assert [each.read_bytes() for each in folder.work.glob("**/precious")] == [b"precious"]
        assert THEIRS in (folder.work / "aside").read_bytes()


def test_a_regular_file_that_is_saved_at_any_moment_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(folder: Folder) -> None:
        (folder.work / "fresh").write_bytes(THEIRS + b"\nhuman\n")
        (folder.work / "fresh").replace(folder.path)

    for folder, is_done in swapped_at_every_moment(tmp_path, monkeypatch, act):
        assert b"human" in folder.path.read_bytes()
        assert is_done


def test_a_link_that_was_displaced_is_put_right_and_the_edit_is_done(folder: Folder) -> None:
    class Late(RealDisk):
        def exchange(self, path: Path, other: Path, /) -> bool:
            swap(other, put_link, folder)
            return super().exchange(path, other)

    folder.edit(Late()).abandon()
    assert folder.path.read_bytes() == THEIRS + b"\n" + OURS + b"\n"
    assert folder.agents_names() == []
    folder.check_secret()


def test_a_link_in_the_place_of_our_new_version_is_put_right_and_the_edit_is_done(folder: Folder) -> None:
    class Late(RealDisk):
        times = 2

        def exchange(self, path: Path, other: Path, /) -> bool:
            self.times -= 1
            if self.times == 1:
                swap(path, put_link, folder)
            return super().exchange(path, other)

    folder.edit(Late()).abandon()
    assert folder.path.read_bytes() == THEIRS + b"\n" + OURS + b"\n"
    assert folder.agents_names() == []
    folder.check_secret()


def test_a_version_that_could_not_be_put_leaves_nothing_beside_the_file(folder: Folder) -> None:
    class Late(RealDisk):
        times = 0

        def exchange(self, path: Path, other: Path, /) -> bool:
            self.times += 1
            if self.times == 1:
                swap(path, put_link, folder)
            return super().exchange(path, other)

    assert folder.file(Late()).put(b"ours\n", THEIRS + b"\n") is None
    assert folder.path.read_bytes() == THEIRS + b"\n"
    assert folder.agents_names() == []
    assert list(folder.spare.iterdir()) == []


def test_a_link_where_the_displaced_version_is_to_lie_is_put_right(folder: Folder) -> None:
    data = b"ours\n"
    beside = leftover_path(folder.path, blake2b(data, digest_size=16).hexdigest())
    put_link(beside, folder)
    displaced = folder.file().put(data, THEIRS + b"\n")
    assert displaced is not None
    assert displaced.read() == THEIRS + b"\n"
    displaced.discard()
    displaced.close()
    folder.check_secret()


def test_another_file_that_is_linked_instead_of_a_new_one_is_edited_again(folder: Folder) -> None:
    folder.path.unlink()

    class Late(RealDisk):
        def link(self, path: Path, other: Path, /) -> None:
            swap(path, lambda path, _folder: path.write_bytes(b"flip\n"), folder)
            super().link(path, other)

    folder.edit(Late()).abandon()
    assert folder.path.read_bytes() == b"flip\n" + OURS + b"\n"


def test_a_link_that_is_linked_instead_of_a_new_file_gives_the_secret_no_name_there(folder: Folder) -> None:
    folder.path.unlink()

    class Late(RealDisk):
        def link(self, path: Path, other: Path, /) -> None:
            swap(path, put_link, folder)
            super().link(path, other)

    with pytest.raises(FileRefusedError, match="is a symbolic link"):
        folder.edit(Late())
    assert folder.path.is_symlink()
    assert folder.secret.stat().st_nlink == 1


def test_a_link_to_the_open_file_is_another_file(folder: Folder) -> None:
    access = Access(RealDisk(), follows_links=False)
    fd = access.open(folder.path)
    folder.path.rename(folder.work / "aside")
    folder.path.symlink_to(folder.work / "aside")
    try:
        assert access.is_same(fd, folder.work / "aside")
        assert not access.is_same(fd, folder.path)
    finally:
        os.close(fd)


def test_a_displaced_version_that_got_another_name_is_not_looked_at_and_holds_no_file_open(folder: Folder) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    file = folder.file()
    displaced = file.put(b"ours\n", THEIRS + b"\n")
    assert displaced is not None
    (beside,) = folder.agents_names()
    (folder.work / "other").hardlink_to(beside)
    (folder.work / "other").write_bytes(b"changed\n")
    assert displaced.read() == THEIRS + b"\n"
    assert displaced.open() is None
    displaced.discard()
    assert (folder.work / "other").read_bytes() == b"changed\n"
    assert folder.agents_names() == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_displaced_version_whose_name_went_to_another_file_is_read_and_the_other_stays(folder: Folder) -> None:
    displaced = folder.file().put(b"ours\n", THEIRS + b"\n")
    assert displaced is not None
    (beside,) = folder.agents_names()
    swap(beside, lambda path, _folder: path.write_bytes(b"precious"), folder)
    assert displaced.read() == THEIRS + b"\n"
    displaced.discard()
    displaced.close()
    assert beside.read_bytes() == b"precious"
