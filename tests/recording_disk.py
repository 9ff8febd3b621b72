"""Disk that knows what a power loss would leave: the bytes that were synced, under the names that were."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from actors.linux.disk import Disk, RealDisk

Before = Callable[[str, bytes], None]
"""Is told each call's name and what it is to write, before it is made; what it raises, the call raises."""


class TornWrite(BaseException):
    """Raised by a `Before` of a write: only `part` is written, then `cause` is raised; without one it came up short."""

    def __init__(self, part: bytes, cause: BaseException | None = None) -> None:
        super().__init__(f"{len(part)} bytes are written")
        self.part, self.cause = part, cause


class Unsynced(BaseException):
    """A message left that rests on bytes which are not safe; no crash of an actor, but the test's end."""


@dataclass(slots=True)
class _File:
    """File, under any number of names."""

    durable: bytes | None
    """Content that would survive; None for the whole content."""


_Entry = _File | None
"""Meaning of a name in a folder; None for a folder."""


class RecordingDisk:
    """The disk below, and what of it would survive a power loss now.

    A file met for the first time counts as safe as it stands: an earlier test or another program put it there. Strict:
    a file's sync makes no name of it safe, and a folder's sync those in it alone. Writes by other ways than this disk
    are seen at the next sync of that file. A folder that is held open may be named by its descriptor.
    """

    def __init__(self, inner: Disk | None = None, before: Before = lambda _call, _data: None) -> None:
        """A disk on which everything is safe.

        Args:
            inner: What really stores; the system's own by default.
            before: May fail or cut calls; an attribute, so that it can be changed on the way.
        """
        self._inner = inner or RealDisk()
        self.before = before
        self.synced: set[Path] = set()
        """Files that were synced."""
        self._files: dict[int, _File] = {}
        """By inode, of files that have a name now."""
        self._folders: dict[Path, dict[str, _Entry]] = {}
        """Each folder in which a file was opened or named -> names that would survive."""

    # what would survive

    def surviving(self, path: Path) -> bytes | None:
        """Content of the file at `path` after a power loss; None if the name would be gone."""
        for folder, name in _places_of_folders(path):
            siblings = self._folders.get(folder)
            if siblings is not None and name not in siblings:
                return None
        names = self._folders.get(path.parent)
        if names is None:
            return path.read_bytes() if path.exists() else None
        file = names.get(path.name)
        if file is None:
            return None
        return path.read_bytes() if file.durable is None else file.durable

    def at_risk(self, root: Path) -> set[str]:
        """Paths of files below `root` that a power loss would take, change or bring back."""
        there = {path for path in root.rglob("*") if path.is_file() and not path.is_symlink()}
        gone = {
            path
            for folder, names in self._folders.items()
            for name, file in names.items()
            if file is not None and file.durable is not None
            if (path := folder / name).is_relative_to(root) and not os.path.lexists(path)
        }
        changed = {path for path in there if not self._is_whole(path) and self.surviving(path) != path.read_bytes()}
        return {path.relative_to(root).as_posix() for path in gone | changed}

    def _is_whole(self, path: Path) -> bool:
        """True for a file that is safe as it stands, so that its content need not be read."""
        if not all(name in self._folders.get(folder, (name,)) for folder, name in _places_of_folders(path)):
            return False
        file = self._folders.get(path.parent, {}).get(path.name)
        return file is not None and file.durable is None and file is self._files.get(path.lstat().st_ino)

    def lose_power(self) -> None:
        """Make the real folders hold what would survive and nothing else; from then on all of that counts as safe.

        Descriptors that are open lose their files, as those of a machine that went down.
        """
        for folder in sorted(self._folders):
            if folder.is_dir():
                self._restore(folder, self._folders[folder])
        self._files.clear()
        self._folders.clear()

    @staticmethod
    def _restore(folder: Path, names: dict[str, _Entry]) -> None:
        for entry in list(folder.iterdir()):
            if entry.name in names:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        for name, file in names.items():
            place = folder / name
            if file is None:
                place.mkdir(exist_ok=True)
            elif file.durable is not None:
                place.unlink(missing_ok=True)
                place.write_bytes(file.durable)

    # the calls

    def open(self, path: Path, flags: int, mode: int = 0o600, /) -> int:
        """As the disk below; a file that is made by it holds nothing and has no name that would survive."""
        self.before("open", b"")
        path = _resolve(path)
        self._meet_folder(path.parent)
        is_new = bool(flags & os.O_CREAT) and not os.path.lexists(path)
        fd = self._inner.open(path, flags, mode)
        inode = os.fstat(fd).st_ino
        if is_new:
            self._files[inode] = _File(b"")
        else:
            self._settle(self._file(inode), path)
        return fd

    def write(self, fd: int, data: bytes, /) -> int:
        """As the disk below; nothing of it would survive yet."""
        try:
            self.before("write", data)
        except TornWrite as torn:
            written = self._inner.write(fd, torn.part) if torn.part else 0
            if torn.cause is not None:
                raise torn.cause from None
            return written
        return self._inner.write(fd, data)

    def sync(self, fd: int, /) -> None:
        """As the disk below; what the file holds then would survive under its names that would."""
        self.before("sync", b"")
        self._inner.sync(fd)
        place = Path(f"/proc/self/fd/{fd}")
        self._file(os.fstat(fd).st_ino).durable = place.read_bytes()
        self.synced.add(place.readlink())

    def sync_folder(self, folder: Path, /) -> None:
        """As the disk below; the names in it would survive."""
        self.before("sync_folder", b"")
        folder = _resolve(folder)
        self._inner.sync_folder(folder)
        self._folders[folder] = self._names(folder)

    def sync_all(self) -> None:
        """As the disk below; all that was opened here, and its names, would survive."""
        self.before("sync_all", b"")
        self._inner.sync_all()
        for file in self._files.values():
            file.durable = None
        for folder in [each for each in self._folders if each.is_dir()]:
            self._folders[folder] = self._names(folder)

    def make_folder(self, folder: Path, /) -> None:
        """As the disk below; it would not survive yet."""
        self.before("make_folder", b"")
        folder = _resolve(folder)
        self._meet_folder(folder.parent)
        is_new = not folder.exists()
        self._inner.make_folder(folder)
        if is_new:
            self._folders[folder] = {}

    def link(self, path: Path, other: Path, /) -> None:
        """As the disk below; the new name would not survive yet."""
        self.before("link", b"")
        path, other = _resolve(path), _resolve(other)
        self._meet(path, other)
        self._inner.link(path, other)

    def replace(self, path: Path, other: Path, /) -> None:
        """As the disk below; what was there before would be there again."""
        self.before("replace", b"")
        path, other = _resolve(path), _resolve(other)
        self._meet(path, other)
        self._inner.replace(path, other)

    def exchange(self, path: Path, other: Path, /) -> bool:
        """As the disk below; each would have its own name again."""
        self.before("exchange", b"")
        path, other = _resolve(path), _resolve(other)
        self._meet(path, other)
        return self._inner.exchange(path, other)

    def unlink(self, path: Path, /) -> None:
        """As the disk below; it would be there again."""
        self.before("unlink", b"")
        path = _resolve(path)
        self._meet(path)
        self._inner.unlink(path)

    def change_mode(self, fd: int, mode: int, /) -> None:
        """As the disk below; of permissions nothing is promised."""
        self.before("change_mode", b"")
        self._inner.change_mode(fd, mode)

    # what is known

    def _meet(self, *paths: Path) -> None:
        """Know what would survive of each, before its name comes to stand for something else."""
        for path in paths:
            self._meet_folder(path.parent)
            if path.is_file():
                self._settle(self._file(path.lstat().st_ino), path)

    def _meet_folder(self, folder: Path) -> None:
        if folder not in self._folders and folder.is_dir():
            self._folders[folder] = self._names(folder)

    def _names(self, folder: Path) -> dict[str, _Entry]:
        with os.scandir(folder) as entries:
            return {
                entry.name: None if entry.is_dir(follow_symlinks=False) else self._file(entry.inode())
                for entry in entries
            }

    def _file(self, inode: int) -> _File:
        return self._files.setdefault(inode, _File(None))

    @staticmethod
    def _settle(file: _File, path: Path) -> None:
        """From now on the file may come to hold what would not survive; a pipe, whose reader would wait, holds nothing."""
        if file.durable is None and path.is_file():
            file.durable = path.read_bytes()


@lru_cache(1024)
def _places_of_folders(path: Path) -> tuple[tuple[Path, str], ...]:
    """Folder and name of each folder above a path."""
    return tuple((folder.parent, folder.name) for folder in path.parents)


def _resolve(path: Path) -> Path:
    """The path without a descriptor: `/proc/self/fd/7/a` is `a` in the folder that is open as 7."""
    own = Path("/proc/self/fd")
    if not path.is_relative_to(own):
        return path
    number, *names = path.relative_to(own).parts
    return Path((own / number).readlink(), *names)
