"""Folder walks that no content can block, lead elsewhere or crash: by descriptors, never by a path.

Commands put the content there: links, pipes, trees deeper than a path can be, closed folders. Each entry is opened
beside its parent's descriptor, as a folder or not at all, so a link is not followed and a pipe not waited for.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

MOST_LEVELS = 100
"""Most nested folders; each costs a descriptor during the walk inside."""
SLICE = 500
"""Entries and folders after which a walk pauses, at any point."""
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_BLOCK_BYTES = 512
_ALL_OF_OWNER = 0o700


class TooDeepError(Exception):
    """Folders are nested deeper than `MOST_LEVELS`."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Disk usage of a folder."""

    files: int = 0
    """Folders, links and all else counted."""
    bytes: int = 0
    """Allocated blocks, not apparent sizes."""


def open_folder(name: str, parent: int | None = None) -> int:
    """Descriptor of a folder; a folder closed by its owner is opened up.

    Args:
        name: Name in `parent`, or a path of the agent's own.
        parent: Descriptor; None for a path.

    Raises:
        OSError: the folder does not exist; a link is no folder.
    """
    try:
        return os.open(name, _OPEN, dir_fd=parent)
    except PermissionError:
        closed = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        try:
            os.chmod(f"/proc/self/fd/{closed}", _ALL_OF_OWNER)  # noqa: PTH101
        finally:
            os.close(closed)
        return os.open(name, _OPEN, dir_fd=parent)


def usage(folder: int, most_files: int) -> Iterator[Usage]:
    """Usage of a folder counted so far, after each `SLICE` steps and at the end; stops beyond the limit.

    Args:
        folder: Descriptor; stays open.
        most_files: Limit at which counting stops.

    Raises:
        TooDeepError: the folder cannot be counted.
        OSError: likewise.
    """
    files = used = steps = 0
    open_folders = [os.dup(folder)]
    names: list[list[str]] = []
    try:
        while open_folders:
            if len(names) < len(open_folders):
                names.append([])
                with os.scandir(open_folders[-1]) as entries:
                    for entry in entries:
                        files += 1
                        used += _bytes_of(entry, names[-1])
                        if files > most_files:
                            break
                        steps += 1
                        if steps % SLICE == 0:
                            yield Usage(files, used)
                if files > most_files:
                    break
                steps += 1
                if steps % SLICE == 0:  # folders with nothing in them take their time, too
                    yield Usage(files, used)
            if not names[-1]:
                names.pop()
                os.close(open_folders.pop())
                continue
            with suppress(FileNotFoundError, NotADirectoryError):  # it has been replaced meanwhile
                child = _open_child(names[-1].pop(), open_folders[-1])
                if len(open_folders) > MOST_LEVELS:
                    os.close(child)
                    raise TooDeepError
                open_folders.append(child)
        yield Usage(files, used)
    finally:
        for descriptor in open_folders:
            os.close(descriptor)


def remove_tree(name: str, parent: int) -> None:
    """Remove the file or folder `name` in `parent`, at any depth; no other process may change the tree meanwhile.

    Deeper entries are moved up, so two descriptors suffice.

    Raises:
        OSError: an entry cannot be removed.
    """
    try:
        is_folder = stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return
    if not is_folder:
        os.unlink(name, dir_fd=parent)
        return
    top = _open_to_empty(name, parent)
    try:
        number = 0
        while entries := os.listdir(top):  # noqa: PTH208 - a descriptor
            for entry in entries:
                number = _remove_or_lift(entry, top, number)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=parent)


def _remove_or_lift(entry: str, top: int, number: int) -> int:
    """Remove an entry of `top`; move the content of a folder that is not empty up into `top`."""
    if not stat.S_ISDIR(os.stat(entry, dir_fd=top, follow_symlinks=False).st_mode):
        os.unlink(entry, dir_fd=top)
        return number
    below = _open_to_empty(entry, top)
    try:
        for name in os.listdir(below):  # noqa: PTH208
            if not stat.S_ISDIR(os.stat(name, dir_fd=below, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=below)
                continue
            os.close(_open_to_empty(name, below))  # a folder that is shut, or may not be changed, cannot be moved
            while True:
                number += 1
                try:
                    os.rename(name, f".{number}", src_dir_fd=below, dst_dir_fd=top)
                except OSError as error:
                    if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                        raise
                else:
                    break
    finally:
        os.close(below)
    os.rmdir(entry, dir_fd=top)
    return number


def _open_to_empty(name: str, parent: int) -> int:
    """Descriptor of a folder for removing its entries, even if its owner may only read the folder."""
    folder = open_folder(name, parent)
    try:
        if stat.S_IMODE(os.fstat(folder).st_mode) & _ALL_OF_OWNER != _ALL_OF_OWNER:
            os.fchmod(folder, _ALL_OF_OWNER)
    except OSError:
        os.close(folder)
        raise
    return folder


def _open_child(name: str, parent: int) -> int:
    try:
        return open_folder(name, parent)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotADirectoryError(errno.ENOTDIR, "a link now", name) from error
        raise


def _bytes_of(entry: os.DirEntry[str], folders: list[str]) -> int:
    """Bytes of an entry; the name of a folder is put among `folders`."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return 0
    if stat.S_ISDIR(status.st_mode):
        folders.append(entry.name)
    return status.st_blocks * _BLOCK_BYTES
