"""Manifest of a backup: every entry with size and hash, and a hash over the manifest itself.

It is written last, so a backup that was cut short has none. Its file is two lines: one JSON document, and the SHA-256
of the first line.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any

NAME = "manifest.json"
FORMAT = 1
ROOT = "root"
"""Folder of a backup that holds what lay below the data root."""
APART = "apart"
"""Folder of a backup that holds files which lay elsewhere: the settings' file, and the reminders' if it is one."""
CHUNK_BYTES = 1024 * 1024
MOST_NAMED = 3
"""Problems that an error names; the others are counted."""


Told = Callable[[str, int, int], object]
"""Hears what is being done, of how many entries it is done, and of how many it will likely be."""


def unheard(_doing: str, _done: int, _total: int) -> None:
    """Nobody wants to hear how far it is."""


class BackupError(Exception):
    """A backup cannot be made or used; the text says why and what to do."""


class EntryKind(StrEnum):
    """Kind of an entry."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file, folder or symbolic link of a backup."""

    path: str
    """Below the backup's folder, with slashes."""
    kind: EntryKind
    mode: int = 0
    """Permissions; 0 for a link."""
    modified_ns: int = 0
    """Nanoseconds since 1970."""
    size: int = 0
    """Bytes of a file."""
    sha256: str = ""
    """Of a file's bytes, in hexadecimal."""
    target: str = ""
    """Where a link leads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Contents of a whole backup."""

    made_at: str
    """ISO 8601, in UTC."""
    data_root: str
    """Whence it was copied."""
    reminders: str
    """Path below the backup's folder of the reminders' file; empty without one."""
    entries: tuple[Entry, ...]
    """Folders before what is in them."""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry.size for entry in self.entries)

    @property
    def files(self) -> tuple[Entry, ...]:
        """Entries that have bytes."""
        return tuple(entry for entry in self.entries if entry.kind is EntryKind.FILE)


def encode(manifest: Manifest) -> bytes:
    """The manifest's file."""
    line = json.dumps({"format": FORMAT, **asdict(manifest)}, separators=(",", ":")).encode("ascii")
    return line + b"\n" + hashlib.sha256(line).hexdigest().encode("ascii") + b"\n"


def read(folder: Path) -> Manifest:
    """The manifest of the backup in `folder`.

    Raises:
        BackupError: there is none, or it is not as it was written.
    """
    try:
        data = (folder / NAME).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise BackupError(f"{folder}: holds no whole backup: it has no {NAME}, which is written last") from None
    except OSError as error:
        raise BackupError(f"{folder / NAME}: cannot be read: {error.strerror}") from error
    line, _, rest = data.partition(b"\n")
    if rest != hashlib.sha256(line).hexdigest().encode("ascii") + b"\n":
        raise BackupError(f"{folder / NAME}: is damaged: its own hash does not fit; use another backup")
    try:
        return _decoded(json.loads(line))
    except (ValueError, TypeError, KeyError) as error:
        raise BackupError(f"{folder / NAME}: is no manifest of ours: {error}") from error


def _decoded(document: dict[str, Any]) -> Manifest:
    if document.pop("format") != FORMAT:
        raise ValueError(f"format must be {FORMAT}; a newer version of the program made it")
    entries = tuple(Entry(**{**each, "kind": EntryKind(each["kind"])}) for each in document.pop("entries"))
    seen: dict[str, EntryKind] = {}
    for entry in entries:
        _require_inside(entry.path)
        if entry.path in seen:
            raise ValueError(f"{entry.path!r} stands there twice")
        seen[entry.path] = entry.kind
        parent = str(PurePosixPath(entry.path).parent)
        if parent != "." and seen.get(parent) is not EntryKind.FOLDER:
            raise ValueError(f"{entry.path!r} lies in no folder of the backup")
    return Manifest(entries=entries, **document)


def _require_inside(path: str) -> None:
    """See that a path cannot lead out of the folder that it begins in.

    Raises:
        ValueError: it might.
    """
    parts = path.split("/")
    if "\0" in path or parts[0] not in (ROOT, APART) or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{path!r} leads out of the backup")


def verify(folder: Path, manifest: Manifest, told: Told = unheard) -> None:
    """Read every file of the backup in `folder` and compare it with its hash.

    Args:
        folder: The backup's.
        manifest: What it says of itself.
        told: Hears how far it is.

    Raises:
        BackupError: something is missing or altered; names the first ones.
    """
    problems = list(_problems(folder, manifest, told))
    if problems:
        more = f", and {len(problems) - MOST_NAMED} more" if len(problems) > MOST_NAMED else ""
        raise BackupError(f"{folder}: is damaged: {'; '.join(problems[:MOST_NAMED])}{more}; use another backup")


def _problems(folder: Path, manifest: Manifest, told: Told) -> Iterator[str]:
    for number, entry in enumerate(manifest.entries, 1):
        told("verifying", number, len(manifest.entries))
        there = folder / entry.path
        try:
            if entry.kind is EntryKind.LINK:
                is_well = os.readlink(there) == entry.target  # noqa: PTH115 - a target is text, not a path
            elif entry.kind is EntryKind.FOLDER:
                is_well = stat.S_ISDIR(there.lstat().st_mode)
            else:
                is_well = digest(there) == (entry.size, entry.sha256)
        except OSError as error:
            yield f"{entry.path!r}: {error.strerror}"
        else:
            if not is_well:
                yield f"{entry.path!r}: is not what was copied"


def digest(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a regular file, read from the disk where the system allows that, not from its cache.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(0, "is no file", str(path))
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        size, sha256 = 0, hashlib.sha256()
        while chunk := os.read(fd, CHUNK_BYTES):
            size += len(chunk)
            sha256.update(chunk)
    finally:
        os.close(fd)
    return size, sha256.hexdigest()


def shown_time(at: datetime) -> str:
    """A time as a manifest says it."""
    return at.isoformat(timespec="seconds")
