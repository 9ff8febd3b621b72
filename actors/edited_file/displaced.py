"""Displaced versions of a file: replaced by an edit, and kept until no change in them can be lost.

Each version lies beside the file under a name of the agent's own, with the digest of the replacing version. The
expected content lies in the spare folder under the same digest, so other programs' changes can be computed after a
crash.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.edited_file.access import Access, FileRefusedError, take_away
from actors.linux.disk import Disk

log = logging.getLogger(__name__)

_DRAFT = ".new"
_BASE = re.compile(r"([0-9a-f]{32})\.base")
_BASE_DRAFT = re.compile(_BASE.pattern + re.escape(_DRAFT))


@dataclass(frozen=True, slots=True)
class Leftover:
    """A version left beside the file by a crash."""

    path: Path
    data: bytes
    expected: bytes | None
    """Expected content; None if unknown."""
    may_fill: bool = True
    """True if the version takes the place of an empty file; False if an edit of the agent's has emptied the file."""


class Displaced:
    """Replaced version of a file; a program with the version still open may write to it."""

    def __init__(
        self, access: Access, path: Path | None, base: Path, before: Path, expected: bytes, fd: int | None = None
    ) -> None:
        """Store the paths; open no file yet.

        Args:
            access: Rules for opening and removing the version.
            path: Path of the version; None if the version has no name any more.
            base: File with the expected content.
            before: Backup to which `base` moves when the version is discarded.
            expected: Expected content.
            fd: Descriptor of the version, if open.
        """
        self._access = access
        self._path = path
        self._base = base
        self._before = before
        self._fd = fd
        self._is_backed_up = False
        """True once `base` has moved: from then on a file of the name is of a later version with equal content."""
        self.accounted = expected
        """Content already accounted for."""

    def read(self) -> bytes:
        """Current content; the accounted content, if the file may not be read.

        Raises:
            FileRefusedError: the version has become too large to compare, or is no file.
            OSError: it cannot be read.
        """
        fd = self.open()
        return self.accounted if fd is None else self._access.read_whole(fd, self._path or self._base)

    def discard(self) -> None:
        """Remove the version from the disk; an open version stays readable until `close`.

        The expected content becomes a backup. On failure the version stays until the next start, whose comparison finds
        all content accounted for.
        """
        try:
            if not self._is_backed_up and os.path.lexists(self._base):
                self._access.disk.replace(self._base, self._before)
            self._is_backed_up = True
            if self._path is not None:
                fd = self.open()
                if fd is not None:
                    self._take_name(fd)
        except FileNotFoundError:
            self._path = None
        except OSError as error:
            log.warning("%s, an earlier version, stays beside the file until the next start: %s", self._path, error)

    def close(self) -> None:
        """Close the version; if not discarded, the next start examines it."""
        fd, self._fd = self._fd, None
        if fd is not None:
            with suppress(OSError):  # it is closed even so, and was only read
                os.close(fd)

    def open(self) -> int | None:
        """Descriptor of the version, opened at the first call.

        Returns:
            None if the version may not be read (only where links are not followed): a program put a strange entry into
            its place, gave the version another, findable name, or removed it.

        Raises:
            FileRefusedError: the version is no file.
            OSError: the version cannot be opened.
        """
        if not self._access.follows_links:
            return self._open_guarded()
        if self._fd is None:
            if self._path is None:
                raise FileRefusedError(f"{self._base}: the displaced version no longer exists")
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
        """Remove the name, unless the name belongs to another file meanwhile."""
        assert self._path is not None, "a name is taken away once"
        if self._access.follows_links or self._access.is_same(fd, self._path):
            self._access.disk.unlink(self._path)
        self._path = None


def leftover_names(place: Path, link: Path | None = None) -> dict[str, Path]:
    """Digest -> path of each version beside the file at `place`.

    Args:
        place: Path of the file.
        link: Path that may lead to `place`: the file may have been there before it was moved and linked.

    Raises:
        OSError: the folder cannot be read.
    """
    beside: dict[str, Path] = {}
    if link is not None and link != place:
        with suppress(OSError):
            beside = leftover_names(link)
    pattern = re.compile(re.escape(f".{place.name}.") + r"([0-9a-f]{32})\.agent")
    names = [match for name in _names(place.parent) if (match := pattern.fullmatch(name))]
    return beside | {match[1]: place.with_name(match[0]) for match in names}


def digest_of(data: bytes) -> str:
    """Digest of a version, for names of files."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def leftover_path(place: Path, digest: str) -> Path:
    """Path of the version displaced by the version with digest `digest`."""
    return place.with_name(f".{place.name}.{digest}.agent")


def withdraw(access: Access, path: Path, digest: str, base: Path) -> None:
    """Remove a version, and its base, after a failed replacement of the file.

    A failed exchange may have taken place all the same: then the displaced version lies at `path`, and stays, as does
    an unreadable version.

    Args:
        access: Rules for opening and removing the version.
        path: Path of the version before the exchange.
        digest: Of the version.
        base: File with the expected content.
    """
    try:
        if access.clear(path) and os.path.lexists(path) and digest_of(access.content(path)) != digest:
            return
    except OSError:
        return
    take_away(access.disk, path)
    take_away(access.disk, base)


def take_other_names(access: Access, place: Path) -> bool:
    """Remove the file's other names, of the agent's own; True if there were some and all are removed.

    Such names stay if the agent ended while it made the file, or if the disk refused; a file with two names is not
    used.
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
    """Path of the draft of `path`: the content is written there first, so that the file at `path` is always whole."""
    return path.with_name(f"{path.name}{_DRAFT}")


def drafts(place: Path, spare: Path) -> list[Path]:
    """Half-written drafts left by a crash; a draft was never in a file's place, so it holds no person's text.

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
    """Expected contents without their version: a crash came before the version was displaced, or after its removal.

    Args:
        beside: Digests of the existing versions.

    Raises:
        OSError: the folder cannot be read.
    """
    return [spare / name for name in _names(spare) if (match := _BASE.fullmatch(name)) and match[1] not in beside]


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - a test fails it as it does the other calls of `os`
    except FileNotFoundError:
        return []


def forget_displaced(disk: Disk, folder: Path) -> None:
    """Empty every backup left by edits in spare folders; the fact of an edit stays known.

    Args:
        disk: Disk to write to.
        folder: Folder of the spare folders.

    Raises:
        OSError: a backup cannot be emptied.
    """
    for before in folder.glob("*/*.before*"):
        if before.lstat().st_size:
            os.close(disk.open(before, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, 0o600))


def is_edited(data: bytes, expected: bytes | None) -> bool:
    """True if `data` differs from `expected` other than by a missing end.

    A power loss takes the end of a file being written, so a line too many is preferred to one too few.
    """
    return expected is None or not expected.startswith(data.rstrip(b"\0"))
