"""Source of skills: a folder, or an archive (zip, tar, tar.gz), as a list of members whose content can be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from actors.linux.regular_file import open_regular
from actors.linux.safe_open import read_beneath
from actors.skills.foreign.tar_archive import TarArchive
from actors.skills.foreign.zip_archive import ZipArchive
from domain.policy.foreign_skill.member import LEFT_OUT, LONGEST_FILE_BYTES, MOST_SOURCE_MEMBERS, Member
from domain.text.brief import brief

_MAGIC_BYTES = 512
_TAR_MAGIC_AT = 257
_MOST_LEVELS = 40
"""Most levels of folders in a folder with a skill at any depth."""


class Source(Protocol):
    """Members of a folder or an archive."""

    def members(self) -> tuple[Member, ...]:
        """All members, files and folders.

        Raises:
            ValueError: the source cannot be read; names the value and the rule.
        """
        ...

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Content of files, each of at most `LONGEST_FILE_BYTES`.

        Raises:
            ValueError: a file cannot be read; names the value and the rule.
        """
        ...


class Folder:
    """Folder on this machine, read without following links."""

    def __init__(self, path: Path, most_members: int = MOST_SOURCE_MEMBERS) -> None:
        """Begin without reading.

        Args:
            path: Path of the folder.
            most_members: Most files and folders inside.
        """
        self._path = path
        self._most_members = most_members

    def members(self) -> tuple[Member, ...]:
        """As `Source.members`."""
        entries: list[Member] = []
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise ValueError(f"{self._path}: cannot be read: {error.strerror}") from error
        try:
            for member in self._below(fd, "", 0):
                if len(entries) >= self._most_members:
                    raise ValueError(f"{self._path}: has more than {self._most_members} files and folders")
                entries.append(member)
        except OSError as error:
            raise ValueError(f"{self._path}: cannot be read: {error.filename}: {error.strerror}") from error
        finally:
            os.close(fd)
        return tuple(entries)

    def _below(self, folder: int, prefix: str, level: int) -> Iterator[Member]:
        for name in sorted(os.listdir(folder)):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            path = f"{prefix}{name}"
            is_folder = stat.S_ISDIR(status.st_mode)
            yield Member(
                path,
                0 if is_folder else status.st_size,
                status.st_mode & ~stat.S_ISGID if is_folder else status.st_mode,
            )
            if is_folder and level < _MOST_LEVELS and name not in LEFT_OUT:
                child = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                try:
                    yield from self._below(child, f"{path}/", level + 1)
                finally:
                    os.close(child)

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """As `Source.read`."""
        try:
            return {path: read_beneath(self._path, path, LONGEST_FILE_BYTES) for path in paths}
        except OSError as error:
            raise ValueError(f"{self._path}: cannot be read: {error.strerror}") from error


def open_source(path: Path) -> Source:
    """Folder or archive at `path`, by its content.

    Raises:
        ValueError: the path is neither; names the value and the rule.
    """
    if path.is_dir():
        return Folder(path)
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            head = file.read(_MAGIC_BYTES)
    except OSError as error:
        raise ValueError(f"{brief(str(path), 200)}: cannot be read: {error.strerror}") from error
    if head.startswith(b"PK"):
        return ZipArchive(path)
    if head.startswith(b"\x1f\x8b") or head[_TAR_MAGIC_AT:].startswith(b"ustar"):
        return TarArchive(path)
    raise ValueError(f"{brief(str(path), 200)}: must be a folder, or a zip (.skill), tar or tar.gz archive")
