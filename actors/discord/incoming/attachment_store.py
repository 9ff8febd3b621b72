"""Attachment store: files kept in the window's working directory, where its commands may write, too."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

log = logging.getLogger(__name__)

FOLDER = "attachments"
MOST_BYTES = 256 << 20
"""Of all files of a window, a quarter of what its directory may hold before no more commands run."""
MOST_MESSAGES = 1_000
LEAST_FREE_BYTES = 512 << 20
_PART = ".part"
_MODE = 0o444
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAKE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def kept_path(message_id: str, name: str) -> str:
    """Where the file is kept, below the working directory."""
    return f"{FOLDER}/{message_id}/{name}"


def keep(
    workdir: Path,
    message_id: str,
    files: Mapping[str, bytes],
    *,
    most_bytes: int = MOST_BYTES,
    least_free_bytes: int = LEAST_FREE_BYTES,
) -> None:
    """Keep a message's files, for reading only; files of the oldest messages make room for them.

    No link is followed, wherever one was put. What is kept already is replaced.

    Args:
        workdir: The window's; it need not exist.
        message_id: Decimal.
        files: By names that are no paths.
        most_bytes: Of all messages together.
        least_free_bytes: What the disk must have left.

    Raises:
        OSError: they are not kept, or not all of them.
    """
    for directory in (workdir.parent.parent, workdir.parent, workdir):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    needed = sum(map(len, files.values()))
    with _opened(os.open(workdir, _OPEN_FOLDER)) as base, _opened(_folder(base, FOLDER)) as shelf:
        _see_that_there_is_room(shelf, needed, least_free_bytes)
        _make_room(shelf, message_id, most_bytes - needed)
        with _opened(_folder(shelf, message_id)) as folder:
            for name, data in files.items():
                _write(folder, name, data)


@contextlib.contextmanager
def _opened(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _folder(parent: int, name: str) -> int:
    """The folder `name`, made if it isn't there."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=parent)
    return os.open(name, _OPEN_FOLDER, dir_fd=parent)


def _write(folder: int, name: str, data: bytes) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_PART, dir_fd=folder)
    with os.fdopen(os.open(_PART, _MAKE_FILE, 0o600, dir_fd=folder), "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), _MODE)
    os.rename(_PART, name, src_dir_fd=folder, dst_dir_fd=folder)


def _see_that_there_is_room(shelf: int, needed: int, least_free_bytes: int) -> None:
    disk = os.fstatvfs(shelf)
    if disk.f_bavail * disk.f_frsize - needed < least_free_bytes:
        raise OSError(f"the disk has less than {least_free_bytes >> 20} MiB free")


def _make_room(shelf: int, message_id: str, most_bytes: int) -> None:
    """Remove files of the oldest messages until the others have no more than `most_bytes`."""
    sizes = {name: _size(shelf, name) for name in sorted(_messages(shelf), key=int) if name != message_id}
    total = sum(sizes.values())
    for count, (name, size) in enumerate(sizes.items()):
        if total <= most_bytes and len(sizes) - count < MOST_MESSAGES:
            return
        try:
            shutil.rmtree(name, dir_fd=shelf)
        except OSError as error:
            log.warning("attached files of message %s cannot be removed: %s", name, error.strerror)
        total -= size


def _messages(shelf: int) -> Iterator[str]:
    with os.scandir(shelf) as entries:
        for entry in entries:
            if entry.name.isdecimal() and entry.is_dir(follow_symlinks=False):
                yield entry.name


def _size(shelf: int, name: str) -> int:
    """Bytes of the files of one message; 0 for a folder that a command has shut."""
    try:
        with _opened(os.open(name, _OPEN_FOLDER, dir_fd=shelf)) as folder, os.scandir(folder) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    except OSError:
        return 0
