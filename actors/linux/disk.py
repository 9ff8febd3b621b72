"""Disk calls behind a promise, with a single interface, so a test can see, fail or cut each call.

Written data survives the process at once, and a power loss only after `sync`; a name (of a new file, a link, a renamed
file, a folder) survives a power loss only after `sync_folder` of the folder above.
"""

from __future__ import annotations

import ctypes
import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from actors.linux.private_folder import make_private_one

OPERATOR_KEY = "agent.key"
"""Beside the operator's socket: the key carried by each request."""
GATEWAY_KEY = "gateway.key"
"""The key made by the gateway of facts for its clients."""
OBSERVER_PAGE = "observer.json"
"""The address of the observer's page, with its token."""
SECRET_FILES = (OPERATOR_KEY, GATEWAY_KEY, OBSERVER_PAGE)
"""The files of the data root with a key or a token, each written by `put_secret` alone; no backup holds any."""
_FILE_MODE = 0o600
_AT_FDCWD = -100
_EXCHANGE = 2
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


class Disk(Protocol):
    """Calls that store data; each raises OSError as the system's own."""

    def open(self, path: Path, flags: int, mode: int = _FILE_MODE, /) -> int:
        """Descriptor of the file at `path`; `flags` may create the file."""
        ...

    def write(self, fd: int, data: bytes, /) -> int:
        """Write bytes; the number of bytes written."""
        ...

    def sync(self, fd: int, /) -> None:
        """Return when everything written to the file is on the disk."""
        ...

    def sync_folder(self, folder: Path, /) -> None:
        """Return when the names in `folder` are on the disk."""
        ...

    def sync_all(self) -> None:
        """Return when all data written by any program is on the disk."""
        ...

    def make_folder(self, folder: Path, /) -> None:
        """Make a folder for its owner alone, unless present."""
        ...

    def link(self, path: Path, other: Path, /) -> None:
        """Give the file at `path` the further name `other`; the name must be free."""
        ...

    def replace(self, path: Path, other: Path, /) -> None:
        """Rename the file at `path` to `other`, replacing any file there."""
        ...

    def exchange(self, path: Path, other: Path, /) -> bool:
        """Exchange the names of two files; False where the file system cannot."""
        ...

    def unlink(self, path: Path, /) -> None:
        """Take a name away."""
        ...

    def change_mode(self, fd: int, mode: int, /) -> None:
        """Give the file other permissions."""
        ...


class RealDisk:
    """The operating system's."""

    def open(self, path: Path, flags: int, mode: int = _FILE_MODE, /) -> int:
        """As `os.open`; the descriptor is not inherited."""
        return os.open(path, flags | os.O_CLOEXEC, mode)

    def write(self, fd: int, data: bytes, /) -> int:
        """As `os.write`."""
        return os.write(fd, data)

    def sync(self, fd: int, /) -> None:
        """As `os.fdatasync`."""
        os.fdatasync(fd)

    def sync_folder(self, folder: Path, /) -> None:
        """As `os.fsync` of the folder."""
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def sync_all(self) -> None:
        """As `os.sync`."""
        os.sync()

    def make_folder(self, folder: Path, /) -> None:
        """As `os.mkdir`."""
        make_private_one(folder)

    def link(self, path: Path, other: Path, /) -> None:
        """As `os.link`; of a symbolic link itself, never of its target."""
        os.link(path, other, follow_symlinks=False)

    def replace(self, path: Path, other: Path, /) -> None:
        """As `os.replace`."""
        path.replace(other)

    def exchange(self, path: Path, other: Path, /) -> bool:
        """As `renameat2` with RENAME_EXCHANGE."""
        return exchange(path, other)

    def unlink(self, path: Path, /) -> None:
        """As `os.unlink`."""
        path.unlink()

    def change_mode(self, fd: int, mode: int, /) -> None:
        """As `os.fchmod`."""
        os.fchmod(fd, mode)


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two files, so a replaced file stays readable; False if the system cannot.

    Raises:
        OSError: a file is gone, or may not be renamed.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(other))


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write all of `data`, and return when the data is on the disk.

    Raises:
        OSError: part of the data may not be on the disk.
    """
    write_some(disk, fd, data)
    disk.sync(fd)


def write_some(disk: Disk, fd: int, data: bytes) -> None:
    """Write all of `data`; the data survives a kill of the process, but perhaps not a power loss.

    Raises:
        OSError: part of the data may not be there.
    """
    written = 0
    while written < len(data):
        count = disk.write(fd, data[written:] if written else data)
        if not count:
            raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes could be written")
        written += count


def give_back(fd: int) -> None:
    """Close a descriptor of a file that was synced, or is given up.

    Some file systems report failed earlier writes at the close; the number may be another file's from then on.
    """
    with suppress(OSError):
        os.close(fd)


def draft_path(path: Path) -> Path:
    """Path of the draft of `put_whole` for `path`; a disk that refuses every call may leave a draft there."""
    return path.with_name(f".{path.name}.new")


def put_whole(disk: Disk, path: Path, data: bytes, *, is_durable: bool = True, mode: int = _FILE_MODE) -> None:
    """Make the file at `path` hold `data`, whole and safe from a power loss; until then the old content stays.

    Args:
        disk: Disk to write to.
        path: Path of the file.
        data: New content.
        is_durable: If False the call waits for no sync: the file is whole after a kill of the process, but after a
            power loss may hold anything.
        mode: Permissions of the file.

    Raises:
        OSError: the file may hold either content.
    """
    draft = draft_path(path)
    with suppress(FileNotFoundError):
        disk.unlink(draft)
    try:
        fd = disk.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW)
        try:
            write_some(disk, fd, data)
            if mode != _FILE_MODE:
                disk.change_mode(fd, mode)
            if is_durable:
                disk.sync(fd)
        finally:
            os.close(fd)
        disk.replace(draft, path)
    except OSError:
        with suppress(OSError):
            disk.unlink(draft)
        raise
    if is_durable:
        disk.sync_folder(path.parent)


def put_secret(folder: Path, name: str, text: str, *, is_durable: bool = True) -> None:
    """Make the file `name` in a data root hold `text`, whole, for its owner alone.

    Args:
        folder: The data root.
        name: Member of `SECRET_FILES`.
        text: New content.
        is_durable: As of `put_whole`.

    Raises:
        OSError: the file cannot be written.
        ValueError: the name is not on the list.
    """
    if name not in SECRET_FILES:
        raise ValueError(f"{name!r}: must be one of {', '.join(SECRET_FILES)}, which backups leave out")
    put_whole(RealDisk(), folder / name, text.encode(), is_durable=is_durable)


def secret_names() -> frozenset[str]:
    """Names of the secret files and of their drafts, as a kill may leave a draft."""
    return frozenset(each for name in SECRET_FILES for each in (name, draft_path(Path(name)).name))


def make_durable(disk: Disk, up_to: Path, *folders: Path) -> None:
    """Sync the names in folders and in each folder above, up to and with `up_to`, each once, the deepest first.

    Raises:
        OSError: a folder cannot be synced; shallower folders were not tried.
        ValueError: `up_to` is not above a folder.
    """
    steps = {
        parts[:count]
        for folder in folders
        for parts in (folder.relative_to(up_to).parts,)
        for count in range(len(parts) + 1)
    }
    for parts in sorted(steps, key=len, reverse=True):
        disk.sync_folder(up_to.joinpath(*parts))


def make_folders(disk: Disk, folder: Path) -> None:
    """Make `folder` and missing folders above; all of their names survive a power loss.

    Each name is synced before the next folder is made, so after a kill only the deepest folder may have an unsynced
    name; a folder whose name cannot be synced is removed again.

    Raises:
        OSError: a folder cannot be made or synced.
    """
    missing = [each for each in (folder, *folder.parents) if not each.is_dir()]
    deepest = missing[-1].parent if missing else folder
    try:
        disk.sync_folder(deepest.parent)
    except OSError as error:  # another user's folder, or one of mounts only, was not made here
        if not (isinstance(error, PermissionError) or error.errno in _UNSUPPORTED):
            raise
    for each in reversed(missing):
        disk.make_folder(each)
        try:
            disk.sync_folder(each.parent)
        except OSError:
            with suppress(OSError):
                each.rmdir()
            raise
