"""Displaced versions of a file: what an edit took the place of, until it is known that nothing is lost.

Each lies beside the file under a name of the agent's own, with the digest of the version that took its place; what it
was expected to hold lies in the spare folder under the same digest. After a crash that tells what others changed.
"""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.linux.disk import Disk

log = logging.getLogger(__name__)

_DRAFT = ".new"
_BASE = re.compile(r"([0-9a-f]{32})\.base")
_BASE_DRAFT = re.compile(_BASE.pattern + re.escape(_DRAFT))
EDITED_BYTES = 16 * 1024 * 1024
"""A larger file is not edited: to leave everything else byte for byte, all of it has to be read."""


class FileRefusedError(OSError):
    """The file cannot be used as it is; the text says why, for a person."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A version that a crash left beside the file."""

    path: Path
    data: bytes
    expected: bytes | None
    """What it was expected to hold; None when that is not known."""


class Displaced:
    """The version that another one took the place of; whoever has it open may still be writing to it."""

    def __init__(
        self, disk: Disk, path: Path | None, base: Path, before: Path, expected: bytes, fd: int | None = None
    ) -> None:
        """Nothing is opened.

        Args:
            disk: What takes it away.
            path: Where it lies; None when it has no name any more.
            base: Where what it was expected to hold is kept.
            before: Where that goes when it is discarded, as a backup.
            expected: What it was expected to hold.
            fd: Its descriptor, if it is open.
        """
        self._disk = disk
        self._path = path
        self._base = base
        self._before = before
        self._fd = fd
        self.accounted = expected
        """What of it is known already."""

    def read(self) -> bytes:
        """What it holds now.

        Raises:
            FileRefusedError: it has become too large to be compared, or is no file.
            OSError: it cannot be read.
        """
        return read_whole(self.open(), self._path or self._base)

    def discard(self) -> None:
        """Take it off the disk; it can be read until it is closed. What was expected of it is kept as a backup.

        Where that fails it stays until the next start, which finds that nothing of it is lost.
        """
        try:
            if self._base.exists():
                self._disk.replace(self._base, self._before)
            if self._path is not None:
                self.open()
                self._disk.unlink(self._path)
                self._path = None
        except FileNotFoundError:
            self._path = None
        except OSError as error:
            log.warning("%s, an earlier version, stays beside the file until the next start: %s", self._path, error)

    def close(self) -> None:
        """Nobody looks at it any more; if it was not discarded, the next start will."""
        fd, self._fd = self._fd, None
        if fd is not None:
            with suppress(OSError):  # it is closed even so, and was only read
                os.close(fd)

    def open(self) -> int:
        """Its descriptor, opened at the first call.

        Raises:
            FileRefusedError: it is no file.
            OSError: it cannot be opened.
        """
        if self._fd is None:
            if self._path is None:
                raise FileRefusedError(f"{self._base}: what it was made for is gone")
            self._fd = open_regular(self._path)
        return self._fd


def leftover_names(place: Path) -> dict[str, Path]:
    """Digest -> path of each version that lies beside the file at `place`.

    Raises:
        OSError: the folder cannot be read.
    """
    pattern = re.compile(re.escape(f".{place.name}.") + r"([0-9a-f]{32})\.agent")
    return {match[1]: place.with_name(name) for name in _names(place.parent) if (match := pattern.fullmatch(name))}


def leftover_path(place: Path, digest: str) -> Path:
    """Where the version lies that one with that digest took the place of."""
    return place.with_name(f".{place.name}.{digest}.agent")


def draft_path(path: Path) -> Path:
    """Where what is to lie at `path` is written, so that what lies there is whole."""
    return path.with_name(f"{path.name}{_DRAFT}")


def drafts(place: Path, spare: Path) -> list[Path]:
    """What a crash left half written: nobody's words, for it never was in the place of anything.

    Raises:
        OSError: a folder cannot be read.
    """
    beside = re.compile(re.escape(f".{place.name}.") + r"[0-9a-f]{32}\.agent" + re.escape(_DRAFT))
    return [
        folder / name
        for folder, form in ((place.parent, beside), (spare, _BASE_DRAFT))
        for name in _names(folder)
        if form.fullmatch(name)
    ]


def bases_without(beside: Collection[str], spare: Path) -> list[Path]:
    """What was to be expected of versions that are not there: a crash came before they were, or after they went.

    Args:
        beside: Digests of the versions that are.

    Raises:
        OSError: the folder cannot be read.
    """
    return [spare / name for name in _names(spare) if (match := _BASE.fullmatch(name)) and match[1] not in beside]


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - a test fails it as it does the other calls of `os`
    except FileNotFoundError:
        return []


def is_edited(data: bytes, expected: bytes | None) -> bool:
    """Whether somebody changed what was `expected`, other than by taking away its end.

    The end of what somebody was writing is what a power loss takes, so a line too many is preferred to one too few.
    """
    return expected is None or not expected.startswith(data.rstrip(b"\0"))


def open_regular(path: Path, flags: int = 0) -> int:
    """A descriptor of the regular file at `path`, for reading.

    Raises:
        FileRefusedError: it is no file.
        OSError: it cannot be opened.
    """
    # A pipe of that name must not stop the agent.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise FileRefusedError(f"{path}: is no regular file")
    except OSError:
        os.close(fd)
        raise
    return fd


def read_whole(fd: int, path: Path) -> bytes:
    """Everything in the file from its beginning.

    Raises:
        FileRefusedError: that is more than can be edited; a part of it would pass for people having deleted the rest.
        OSError: it cannot be read.
    """
    data = read_first(fd, EDITED_BYTES + 1)
    if len(data) > EDITED_BYTES:
        raise FileRefusedError(
            f"{path}: has more than {EDITED_BYTES // 2**20} MiB, so it is not edited; take something out of it by hand"
        )
    return data


def read_first(fd: int, count: int) -> bytes:
    """The first `count` bytes, or all when there are fewer."""
    chunks, offset = [], 0
    while chunk := os.pread(fd, min(1 << 20, count - offset), offset):
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)


def take_away(disk: Disk, path: Path) -> None:
    """Remove what is of no more use; if that fails, the next start does it."""
    try:
        disk.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        log.warning("%s stays until the next start: %s", path, error.strerror)
