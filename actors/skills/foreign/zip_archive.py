"""Zip archive as a source of skills, read without unpacking anything on the disk."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from domain.policy.foreign_skill.member import (
    LONGEST_FILE_BYTES,
    MOST_BYTES,
    MOST_SOURCE_BYTES,
    MOST_SOURCE_MEMBERS,
    Member,
)
from domain.text.brief import brief

MOST_ARCHIVE_BYTES = 256 * 1024 * 1024
MOST_DIRECTORY_BYTES = 16 * 1024 * 1024
"""Largest list of members in bytes, since the list is read into memory."""
_END = b"PK\x05\x06"
_END_BYTES = 22
_LARGE_END, _LARGE_PLACE = b"PK\x06\x06", b"PK\x06\x07"
_LARGE_END_BYTES, _LARGE_PLACE_BYTES = 56, 20
"""Sizes in bytes of the end of a large archive, and of the locator of this end; both come before the usual end."""
_LONGEST_COMMENT = 65_535
_IS_ENCRYPTED = 0x1
_UNIX = 3
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ZipArchive:
    """Zip file; a `.skill` is a zip file, too."""

    def __init__(self, path: Path) -> None:
        """Begin without reading."""
        self._path = path
        self._infos: dict[str, zipfile.ZipInfo] = {}

    def members(self) -> tuple[Member, ...]:
        """As `Source.members`."""
        self._require_small_directory()
        try:
            with zipfile.ZipFile(self._path) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
            raise self._unreadable(error) from error
        if len(infos) > MOST_SOURCE_MEMBERS:
            raise ValueError(f"{self._path}: has {len(infos)} members, at most {MOST_SOURCE_MEMBERS} are allowed")
        if (total := sum(info.file_size for info in infos)) > MOST_SOURCE_BYTES:
            raise ValueError(f"{self._path}: holds {total} bytes, at most {MOST_SOURCE_BYTES} are allowed")
        self._infos = {_path_of(info): info for info in infos}
        return tuple(_member(info) for info in infos)

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """As `Source.read`."""
        files: dict[str, bytes] = {}
        left = MOST_BYTES
        try:
            with zipfile.ZipFile(self._path) as archive:
                for path in paths:
                    files[path] = self._read_one(archive, path, min(left, LONGEST_FILE_BYTES))
                    left -= len(files[path])
        except ValueError:
            raise
        except Exception as error:  # a damaged stream fails in many ways
            raise self._unreadable(error) from error
        return files

    def _read_one(self, archive: zipfile.ZipFile, path: str, most: int) -> bytes:
        info = self._infos[path]
        if info.flag_bits & _IS_ENCRYPTED:
            raise ValueError(f"file {brief(path, 120)}: has a password, so it cannot be looked into")
        if info.compress_type not in _METHODS:
            raise ValueError(f"file {brief(path, 120)}: has compression {info.compress_type}, only 0 and 8 are allowed")
        with archive.open(info) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise ValueError(f"file {brief(path, 120)}: unpacks to more than {most} bytes")
        return data

    def _require_small_directory(self) -> None:
        """Refuse a list of members that would fill the memory, since `zipfile` reads the list whole.

        Raises:
            ValueError: the archive is too large, or has no end.
        """
        try:
            with self._path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size > MOST_ARCHIVE_BYTES:
                    raise ValueError(f"{self._path}: has {size} bytes, at most {MOST_ARCHIVE_BYTES} are allowed")
                ends = _LARGE_END_BYTES + _LARGE_PLACE_BYTES + _END_BYTES
                file.seek(max(0, size - ends - _LONGEST_COMMENT - 1))
                tail = file.read()
        except OSError as error:
            raise self._unreadable(error) from error
        last = tail[-_END_BYTES:]
        at = len(tail) - _END_BYTES if last.startswith(_END) and last.endswith(b"\0\0") else tail.rfind(_END)
        if at < 0 or len(tail) - at < _END_BYTES:
            raise ValueError(f"{self._path}: has no end of a zip file")
        directory = self._directory_bytes(tail, at)
        if directory > MOST_DIRECTORY_BYTES:
            rule = f"at most {MOST_DIRECTORY_BYTES} are allowed"
            raise ValueError(f"{self._path}: its list of members has {directory} bytes, {rule}")

    def _directory_bytes(self, tail: bytes, at: int) -> int:
        """Length of the list of members; the end of a large archive counts, whatever the usual end at `at` says.

        Raises:
            ValueError: the end of a large archive lies elsewhere.
        """
        place = at - _LARGE_PLACE_BYTES
        if place < 0 or not tail.startswith(_LARGE_PLACE, place):
            return int(struct.unpack_from("<L", tail, at + 12)[0])
        end = place - _LARGE_END_BYTES
        if end < 0 or not tail.startswith(_LARGE_END, end):
            raise ValueError(f"{self._path}: has no end of a large zip file")
        return int(struct.unpack_from("<Q", tail, end + 40)[0])

    def _unreadable(self, error: Exception) -> ValueError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else brief(str(error), 200)
        return ValueError(f"{self._path}: cannot be read as a zip file: {reason}")


def _path_of(info: zipfile.ZipInfo) -> str:
    return info.orig_filename.removesuffix("/")


def _member(info: zipfile.ZipInfo) -> Member:
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    is_folder = info.orig_filename.endswith("/")
    if not stat.S_IFMT(mode):
        mode |= stat.S_IFDIR if is_folder else stat.S_IFREG
    if is_folder and stat.S_ISREG(mode):
        mode = stat.S_IFDIR | stat.S_IMODE(mode)
    return Member(_path_of(info), info.file_size, mode)
