"""Files of entries: the truth about remembered content, written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from actors.facts.store.front_matter import read_keys
from actors.facts.store.memory_folder import ENTRIES
from actors.linux.disk import Disk, RealDisk, make_durable, put_whole
from actors.linux.private_folder import make_private
from actors.linux.safe_open import read_beneath
from domain.facts.entry import Defaults, Entry, read_entry, with_replacement, write_entry
from domain.facts.folders import Place, conversation_of, deleted_path, place_of
from domain.facts.ids import id_of_path
from messages.facts import EntryRole

MOST_BYTES = 8 * 1024 * 1024
"""Largest size of an entry's file; larger files are ignored."""
MOST_DEPTH = 6
_ROLE_OF = {"facts": EntryRole.MEMORY, "turns/user": EntryRole.USER, "turns/assistant": EntryRole.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Stamp:
    """Size and time of a file, to notice changes without reading."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Filed:
    """An entry with its file."""

    entry: Entry
    path: str
    """POSIX path below the root."""
    digest: str
    """SHA-256 of the file's bytes, hexadecimal."""
    text: str = field(default="", repr=False)
    """Whole text of the file, if read."""


class EntryFiles:
    """Files below one folder; no file elsewhere is read or written, even if links lead there."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        """Begin without folders.

        Args:
            root: `facts.memory_path`, absolute.
            disk: Disk to write to.
        """
        self.root = root
        self._disk = disk or RealDisk()
        self._unsynced: set[Path] = set()
        """Files that a power loss may still take."""

    def stamps(self) -> dict[str, Stamp]:
        """Every file of an entry that is not deleted, by path; removes half-written files of a crash.

        Raises:
            OSError: a folder cannot be listed.
        """
        current = {}
        for path, item in self._walk(self.root / ENTRIES, ENTRIES, 0):
            if item.name.startswith(".") and item.name.endswith(".new"):
                with suppress(OSError):
                    self._disk.unlink(self.root / path)
            elif (place := place_of(path)) is not None and not place.is_deleted:
                status = item.stat(follow_symlinks=False)
                current[path] = Stamp(status.st_size, status.st_mtime_ns)
        return current

    def stamp(self, path: str) -> Stamp | None:
        """Stamp of a file; None if the file is missing."""
        try:
            status = (self.root / path).lstat()
        except OSError:
            return None
        return Stamp(status.st_size, status.st_mtime_ns)

    def read(self, path: str) -> Filed | None:
        """An entry; None without a readable file at `path`, or if `path` is no place of an entry."""
        place = place_of(path)
        if place is None:
            return None
        try:
            data = read_beneath(self.root, path, MOST_BYTES)
        except (ValueError, FileNotFoundError, NotADirectoryError):
            return None
        text = data.decode("utf-8", "replace")
        return Filed(read_entry(text, self._defaults(path, place), read_keys), path, digest_of(data), text)

    def write(self, entry: Entry, path: str) -> str:
        """Keep an entry; never half-written after a kill, and safe from a power loss after `sync`.

        Returns:
            The digest of its file.

        Raises:
            OSError: the entry may not be kept.
        """
        data = write_entry(entry).encode("utf-8", "replace")
        target = self.root / path
        self._make_folder(target.parent)
        put_whole(self._disk, target, data, is_durable=False)
        self._unsynced.add(target)
        return digest_of(data)

    def bury(self, path: str, replaced_by: str = "") -> str:
        """Move an entry to the deleted ones.

        Args:
            path: Path of the entry's file; a missing file is ignored.
            replaced_by: Id of the entry in its place; empty without a successor.

        Returns:
            New path.

        Raises:
            OSError: the file may be at either place, or at both.
        """
        target = deleted_path(path)
        filed = self.read(path)
        if filed is None:
            return target
        self._make_folder((self.root / target).parent)
        if replaced_by:
            text = with_replacement(filed.text, replaced_by)
            put_whole(self._disk, self.root / target, text.encode("utf-8", "replace"), is_durable=False)
            self._disk.unlink(self.root / path)
        else:
            self._disk.replace(self.root / path, self.root / target)
        self._unsynced.update((self.root / path, self.root / target))
        return target

    def sync(self) -> None:
        """Make all changes safe from a power loss.

        Raises:
            OSError: the changes may not be safe.
        """
        folders = set[Path]()
        for path in self._unsynced:
            folders.add(self._remaining(path.parent))
            with suppress(FileNotFoundError):
                fd = self._disk.open(path, os.O_RDONLY)
                try:
                    self._disk.sync(fd)
                finally:
                    os.close(fd)
        make_durable(self._disk, self.root, *folders)
        self._unsynced.clear()

    def _make_folder(self, folder: Path) -> None:
        """Make a folder for entries, if missing.

        Raises:
            OSError: the folder cannot be made, or a link stands in the way.
        """
        above = folder
        while above != self.root:
            if above.is_symlink():
                raise OSError(
                    errno.ELOOP, f"{above.relative_to(self.root)}: is a link; entries are not written through links"
                )
            above = above.parent
        if not folder.is_dir():
            make_private(folder, self._disk.make_folder)

    def _remaining(self, folder: Path) -> Path:
        """The folder, or the nearest existing parent: people may remove their folders at any time."""
        while folder != self.root and not folder.is_dir():
            folder = folder.parent
        return folder

    def is_kept(self, entry: Entry, path: str) -> bool:
        """True if there is a file of an entry, perhaps edited; the next `sync` includes the file.

        An earlier life may have ended before its sync: a power loss then leaves only a beginning of the file, or no
        file.
        """
        if self.stamp(path) is None:
            return False
        whole, filed = write_entry(entry).encode("utf-8", "replace"), self.read(path)
        text = filed.text.rstrip("\0").encode() if filed is not None else whole
        if text != whole and whole.startswith(text):
            return False
        self._unsynced.add(self.root / path)
        return True

    def is_buried(self, path: str) -> bool:
        """True if a former entry at `path` is among the deleted entries; the next `sync` includes the files."""
        buried = self.root / deleted_path(path)
        if not buried.exists():
            return False
        self._unsynced.update((self.root / path, buried))
        return True

    def destroy(self, path: str) -> None:
        """Remove a file for good, with any tombstone at the same place.

        Raises:
            OSError: the file may still be there.
        """
        for each in (path, deleted_path(path)):
            self.remove(each)

    def tombstones(self) -> Iterator[Filed]:
        """All deleted entries; reads every file."""
        for path, _ in list(self._walk(self.root / ENTRIES, ENTRIES, 0)):
            place = place_of(path)
            if place is not None and place.is_deleted and (filed := self.read(path)) is not None:
                yield filed

    def remove(self, path: str) -> None:
        """Remove one file for good; a missing file is ignored.

        Raises:
            OSError: the file may still be there.
        """
        with suppress(FileNotFoundError):
            self._disk.unlink(self.root / path)
            self._unsynced.add(self.root / path)

    def _defaults(self, path: str, place: Place) -> Defaults:
        stamp = self.stamp(path)
        at = datetime.fromtimestamp((stamp.mtime_ns if stamp else 0) / 1e9, UTC)
        return Defaults(
            id=id_of_path(path),
            role=_ROLE_OF.get(place.kind, EntryRole.SUMMARY),
            conversation=conversation_of(place.folder),
            created_at=at,
        )

    def _walk(self, folder: Path, below: str, depth: int) -> Iterator[tuple[str, os.DirEntry[str]]]:
        try:
            with os.scandir(folder) as entries:
                items = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return
        for item in items:
            path = f"{below}/{item.name}"
            if item.is_dir(follow_symlinks=False):
                if depth < MOST_DEPTH and not item.name.startswith("."):
                    yield from self._walk(folder / item.name, path, depth + 1)
            elif item.is_file(follow_symlinks=False):
                yield path, item


def digest_of(data: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(data).hexdigest()
