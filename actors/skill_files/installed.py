"""Comparison of added skills with the record of their hashes, for each look at a folder of skills."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.linux.regular_file import open_regular
from domain.policy.foreign_skill.member import LONGEST_FILE_BYTES, MOST_FILES, MOST_LEVELS
from domain.policy.foreign_skill.record import (
    FILE_NAME,
    LONGEST_RECORD_BYTES,
    NO_FILE,
    Entry,
    FileRecord,
    Files,
    Record,
    differences,
    parse_record,
)

_Signature = tuple[int, ...]
"""Device, inode, size, mode, and times of the last changes; an ordinary user cannot set the last time."""
_READ_BYTES = 256 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_EXECUTABLE = 0o111


def read_record(root: Path) -> Record:
    """Record of the folder of skills `root`; empty if there is none.

    Raises:
        ValueError: the record cannot be used; names the file and the rule.
        OSError: the record cannot be read.
    """
    path = root / FILE_NAME
    try:
        fd = open_regular(path, os.O_RDONLY | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        return Record()
    with os.fdopen(fd, "rb") as file:
        data = file.read(LONGEST_RECORD_BYTES + 1)
    if len(data) > LONGEST_RECORD_BYTES:
        raise ValueError(f"{path}: has more than {LONGEST_RECORD_BYTES} bytes")
    try:
        return parse_record(data.decode("utf-8", "replace"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


class InstalledSkills:
    """Added skills of one folder of skills, looked at afresh by each `look`; an unchanged file is not read again."""

    def __init__(self, root: Path) -> None:
        """Begin without reading.

        Args:
            root: Folder of skills; need not exist.
        """
        self._root = root
        self._known: Mapping[str, tuple[_Signature, FileRecord]] = {}
        self._state: tuple[_Signature | None, Record, str] = (None, Record(), "")

    def look(self) -> tuple[Record, str]:
        """Record at this moment, and the reason why it cannot be used; an unusable record is empty.

        Without the record no skill of the folder can be trusted.
        """
        signature = _signature_of(self._root / FILE_NAME)
        if signature is None or signature != self._state[0]:
            record, fault = Record(), ""
            try:
                record = read_record(self._root)
            except ValueError as error:
                fault = str(error)
            except OSError as error:
                fault = f"{self._root / FILE_NAME}: cannot be read: {error.strerror}"
            self._state = (signature, record, fault)
        return self._state[1:]

    def changes(self, name: str, entry: Entry) -> tuple[str, ...]:
        """Differences of a skill's files from the record, a line each; empty for none.

        Args:
            name: Folder of the skill in the root.
            entry: Entry of the record.
        """
        try:
            return differences(entry.files, self.files(name))
        except OSError as error:
            return (f"{error.filename or name}: cannot be read: {error.strerror}",)

    def files(self, name: str) -> Files:
        """Files of the folder `name` in the root; links and other non-files count with no hash.

        Raises:
            OSError: the folder, or a file inside, cannot be read.
        """
        seen: dict[str, tuple[_Signature, FileRecord]] = {}
        folder = os.open(self._root / name, _FOLDER)
        try:
            self._read_folder(folder, name, 0, seen)
        finally:
            os.close(folder)
        start = len(name) + 1
        others = {path: each for path, each in self._known.items() if not path.startswith(f"{name}/")}
        self._known = others | seen
        return {path[start:]: file for path, (_, file) in seen.items()}

    def _read_folder(self, folder: int, path: str, level: int, seen: dict[str, tuple[_Signature, FileRecord]]) -> None:
        for name in sorted(os.listdir(folder)):
            below = f"{path}/{name}"
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if len(seen) > MOST_FILES:
                return
            if stat.S_ISDIR(status.st_mode) and level < MOST_LEVELS:
                child = os.open(name, _FOLDER, dir_fd=folder)
                try:
                    self._read_folder(child, below, level + 1, seen)
                finally:
                    os.close(child)
            else:
                seen[below] = self._read_file(name, folder, status, self._known.get(below))

    @staticmethod
    def _read_file(
        name: str, folder: int, status: os.stat_result, known: tuple[_Signature, FileRecord] | None
    ) -> tuple[_Signature, FileRecord]:
        signature = _signature(status)
        if known is not None and known[0] == signature:
            return known
        is_executable = bool(status.st_mode & _EXECUTABLE)
        digest = NO_FILE
        if stat.S_ISREG(status.st_mode) and status.st_size <= LONGEST_FILE_BYTES:
            digest = _hash_file(name, folder)
        return signature, FileRecord(digest, status.st_size, is_executable)


@dataclass(frozen=True, slots=True)
class Visible:
    """Folders of skills that commands may see now."""

    roots: tuple[str, ...]
    hidden: tuple[str, ...]
    """Paths below the roots: skills with files other than the accepted files."""


class VisibleRoots:
    """Folders of skills visible to commands; any number of threads may look."""

    def __init__(self, roots: Iterable[Path]) -> None:
        """Begin without reading.

        Args:
            roots: Folders of skills, links resolved.
        """
        self._roots = {root: InstalledSkills(root) for root in roots}

    def look(self) -> Visible:
        """Folders at this moment; a folder with an unusable record is not shown at all."""
        roots, hidden = list[str](), list[str]()
        for root, installed in self._roots.items():
            if not root.is_dir():
                continue
            record, fault = installed.look()
            if fault:
                continue
            roots.append(str(root))
            changed = (name for name, entry in record.skills.items() if installed.changes(name, entry))
            hidden += [path for path in (f"{root}/{name}" for name in changed) if os.path.lexists(path)]
        return Visible(tuple(roots), tuple(hidden))


def _hash_file(name: str, folder: int) -> str:
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    digest = hashlib.sha256()
    left = LONGEST_FILE_BYTES + 1
    try:
        while left > 0 and (part := os.read(fd, min(left, _READ_BYTES))):
            digest.update(part)
            left -= len(part)
    finally:
        os.close(fd)
    return digest.hexdigest()


def _signature_of(path: Path) -> _Signature | None:
    with suppress(OSError):
        return _signature(path.lstat())
    return None


def _signature(status: os.stat_result) -> _Signature:
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mode,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
