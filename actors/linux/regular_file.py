"""Regular file: opening and reading without waiting for a pipe or a device in the file's place."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

P = TypeVar("P", bound=Path | str)
_AT_ONCE = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""A pipe is opened without waiting for its other end; a regular file is not affected."""


class NotRegularError(OSError):
    """There is a pipe, a socket, a device or a folder."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(errno.EINVAL, "it is not a regular file and must be removed", str(path))


def open_regular(
    path: P, flags: int = os.O_RDONLY, mode: int = 0o600, *, opens: Callable[[P, int, int], int] = os.open
) -> int:
    """Descriptor of the regular file at `path`.

    Args:
        path: Path of the file.
        flags: As of `os.open`.
        mode: As of `os.open`.
        opens: Opens the file.

    Raises:
        NotRegularError: the file is not regular.
        OSError: the file cannot be opened.
    """
    try:
        fd = opens(path, flags | _AT_ONCE, mode)
    except OSError as error:
        is_socket = error.errno == errno.ENXIO  # or a device without a driver
        if is_socket or (isinstance(error, PermissionError) and _is_irregular(path)):
            raise NotRegularError(path) from error
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NotRegularError(path)
    return fd


def _is_irregular(path: Path | str) -> bool:
    """True if an unopenable file at `path` would be refused with every permission, too."""
    with suppress(OSError):
        return not stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    return False


def read_regular(path: Path | str) -> bytes:
    """Whole content of the regular file at `path`.

    Raises:
        NotRegularError: the file is not regular.
        OSError: the file cannot be read.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read()


def read_each(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Path and content of each regular file in a folder, by name; none for a missing folder.

    A file that is removed meanwhile is left out.

    Raises:
        OSError: the folder or a file cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            paths = sorted(folder / entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    except FileNotFoundError:
        return
    for path in paths:
        with suppress(FileNotFoundError):
            yield path, read_regular(path)
