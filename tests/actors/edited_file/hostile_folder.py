"""Folder with a hostile writer: a secret beside the folder, traps, and every moment for a trap."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actors.edited_file.file import EditedFile
from actors.edited_file.rewriting import Rewriting, Waits
from actors.linux.disk import Disk, RealDisk

NO_WAIT = Waits(settle_s=0.0, verify_s=0.0)
WORDS = b"the secret's words\n"
OURS, THEIRS = b"ours", b"theirs"


Trap = Callable[[Path, "Folder"], object]


class Folder:
    """A sandbox's folder with the agent's file, and a secret beside the folder."""

    def __init__(self, root: Path) -> None:
        self.work, self.spare, self.secret = root / "work", root / "spare", root / "secret.md"
        self.path = self.work / "r.md"
        self.work.mkdir(parents=True)
        self.secret.write_bytes(WORDS)
        self.secret.chmod(0o640)
        self.path.write_bytes(THEIRS + b"\n")
        self._before = self.secret.stat()

    def file(self, disk: Disk | None = None, **how: Any) -> EditedFile:
        return EditedFile(self.path, self.spare, disk, follows_links=False, **how)

    def edit(self, disk: Disk | None = None, between: Callable[[], object] = int, word: bytes = OURS) -> Rewriting:
        """Add a word; gives the edit that is done."""
        rewriting = Rewriting(self.file(disk), adding(word), NO_WAIT)
        try:
            while rewriting.step() is not None:
                between()
        except OSError:
            assert rewriting.debts() == ()
            assert not rewriting.is_owing
            rewriting.abandon()
            raise
        return rewriting

    def check_secret(self) -> None:
        """Assert that the secret is unchanged and copied nowhere."""
        status = self.secret.stat()
        for name in ("st_mode", "st_uid", "st_gid", "st_mtime_ns", "st_size", "st_ino"):
            assert getattr(status, name) == getattr(self._before, name), name
        assert self.secret.read_bytes() == WORDS
        for each in (*self.work.rglob("*"), *self.spare.rglob("*")):
            if stat.S_ISREG(each.lstat().st_mode) and not each.samefile(self.secret):
                assert b"secret" not in each.read_bytes(), each

    def agents_names(self) -> list[Path]:
        return [each for each in self.work.iterdir() if ".agent" in each.name]


def adding(word: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data if word in data.split(b"\n") else data + word + b"\n"


def put_link(path: Path, folder: Folder) -> None:
    path.symlink_to(folder.secret)


def put_dangling_link(path: Path, folder: Folder) -> None:
    path.symlink_to(folder.work.parent / "nothing")


def put_pipe(path: Path, _folder: Folder) -> None:
    os.mkfifo(path)


def put_socket(path: Path, _folder: Folder) -> None:
    os.mknod(path, stat.S_IFSOCK | 0o600)


def put_folder(path: Path, _folder: Folder) -> None:
    path.mkdir()


def put_hard_link(path: Path, folder: Folder) -> None:
    path.hardlink_to(folder.secret)


TRAPS: dict[Trap, str] = {
    put_link: "is a symbolic link, which is not followed here",
    put_dangling_link: "is a symbolic link, which is not followed here",
    put_pipe: "is a pipe, not a regular file",
    put_socket: "is a socket or a device, not a regular file",
    put_folder: "is a folder, not a regular file",
    put_hard_link: "has 2 names",
}
traps = pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)


def clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)


def swap(path: Path, trap: Trap, folder: Folder) -> None:
    """Put a trap where something was, or nothing."""
    clear(path)
    trap(path, folder)


class Moments(RealDisk):
    """Disk with one action before a chosen call of the disk or of the system."""

    def __init__(self, at: int, act: Callable[[], object]) -> None:
        self._left = at
        self._act = act

    @property
    def has_acted(self) -> bool:
        return self._left < 0

    def pass_one(self) -> None:
        self._left -= 1
        if self._left == -1:
            self._act()

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        for name in ("open", "fstat", "stat", "lstat", "readlink", "replace", "unlink", "fchmod", "link", "listdir"):
            patch.setattr(os, name, self._watch_call(getattr(os, name)))

    def _watch_call(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def pass_and_call(*args: Any, **how: Any) -> Any:
            self.pass_one()
            return call(*args, **how)

        return pass_and_call

    def exchange(self, path: Path, other: Path, /) -> bool:
        self.pass_one()
        is_exchanged = super().exchange(path, other)
        self.pass_one()
        return is_exchanged


def swapped_at_every_moment(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Folder], object],
    *,
    begins_empty: bool = False,
) -> Iterator[tuple[Folder, bool]]:
    """Folders after an edit during which `act` happened, each time a moment later, and whether the edit was done."""
    for moment in range(1000):
        folder = Folder(tmp_path / str(moment))
        if begins_empty:
            folder.path.unlink()
        disk = Moments(moment, partial(act, folder))
        is_done = False
        with monkeypatch.context() as patch:
            disk.watch(patch)
            with suppress(OSError):
                rewriting = folder.edit(disk, disk.pass_one)
                is_done = True
                assert rewriting.debts() == ()
                assert not rewriting.is_owing
                rewriting.abandon()
        if not disk.has_acted:
            assert moment > 15, "each call is a moment"
            return
        folder.check_secret()
        yield folder, is_done
