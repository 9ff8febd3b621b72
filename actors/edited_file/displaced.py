"""Displaced versions of a file: what an edit took the place of, until it is known that nothing is lost.

Each lies beside the file under a name of the agent's own, with the digest of the version that took its place; what it
was expected to hold lies in the spare folder under the same digest. After a crash that tells what others changed.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.edited_file.access import Access, FileRefusedError, take_away

log = logging.getLogger(__name__)

_DRAFT = ".new"
_BASE = re.compile(r"([0-9a-f]{32})\.base")
_BASE_DRAFT = re.compile(_BASE.pattern + re.escape(_DRAFT))


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
        self, access: Access, path: Path | None, base: Path, before: Path, expected: bytes, fd: int | None = None
    ) -> None:
        """Nothing is opened.

        Args:
            access: What opens it, and takes it away.
            path: Where it lies; None when it has no name any more.
            base: Where what it was expected to hold is kept.
            before: Where that goes when it is discarded, as a backup.
            expected: What it was expected to hold.
            fd: Its descriptor, if it is open.
        """
        self._access = access
        self._path = path
        self._base = base
        self._before = before
        self._fd = fd
        self.accounted = expected
        """What of it is known already."""

    def read(self) -> bytes:
        """What it holds now; what is known of it already, where nothing else of it may be read.

        Raises:
            FileRefusedError: it has become too large to be compared, or is no file.
            OSError: it cannot be read.
        """
        fd = self.open()
        return self.accounted if fd is None else self._access.read_whole(fd, self._path or self._base)

    def discard(self) -> None:
        """Take it off the disk; it can be read until it is closed. What was expected of it is kept as a backup.

        Where that fails it stays until the next start, which finds that nothing of it is lost.
        """
        try:
            if os.path.lexists(self._base):
                self._access.disk.replace(self._base, self._before)
            if self._path is not None:
                fd = self.open()
                if fd is not None:
                    self._take_name(fd)
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

    def open(self) -> int | None:
        """Its descriptor, opened at the first call.

        Returns:
            None where nothing of it may be read (only where links are not followed): somebody put something strange
            into its place, or gave it another name, under which it can be found, or took it away.

        Raises:
            FileRefusedError: it is no file.
            OSError: it cannot be opened.
        """
        if not self._access.follows_links:
            return self._open_guarded()
        if self._fd is None:
            if self._path is None:
                raise FileRefusedError(f"{self._base}: what it was made for is gone")
            self._fd = self._access.open(self._path)
        return self._fd

    def _open_guarded(self) -> int | None:
        if self._fd is None and self._path is not None:
            try:
                self._fd = self._access.open(self._path)
            except FileNotFoundError:
                self._path = None
            except FileRefusedError as error:
                log.warning("what lies in the place of an earlier version is not looked at: %s", error)
                self._access.clear(self._path)
                self._path = None
        elif self._fd is not None and os.fstat(self._fd).st_nlink > (self._path is not None):
            if self._path is not None:
                with suppress(FileNotFoundError):
                    self._take_name(self._fd)
            if os.fstat(self._fd).st_nlink:
                log.warning("%s: an earlier version has got other names and is not looked at", self._base.stem)
                self.close()
                self._path = None
        return self._fd

    def _take_name(self, fd: int) -> None:
        """Take the name away, unless it stands for another file of somebody's."""
        assert self._path is not None, "a name is taken away once"
        if self._access.follows_links or self._access.is_same(fd, self._path):
            self._access.disk.unlink(self._path)
        self._path = None


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


def take_other_names(access: Access, place: Path) -> bool:
    """Whether a file had names of the agent's own besides, under which it was made, and has them no more.

    Whoever made it ended in between, or the disk refused then; a file with two names is not used.
    """
    if access.follows_links or not access.is_strange(place):
        return False
    same = [path for path in leftover_names(place).values() if _is_same(path, place)]
    for path in same:
        take_away(access.disk, path)
    return bool(same) and not access.is_strange(place)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return os.path.samestat(path.lstat(), other.lstat())
    except FileNotFoundError:
        return False


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
