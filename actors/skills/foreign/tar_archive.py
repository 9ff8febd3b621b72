"""Tar archive, plain or compressed by gzip, as a source of skills; unpacked to one temporary file with a bound."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from domain.policy.foreign_skill.member import (
    LONGEST_FILE_BYTES,
    MOST_BYTES,
    MOST_SOURCE_BYTES,
    MOST_SOURCE_MEMBERS,
    Member,
)
from domain.text.brief import brief

_READ_BYTES = 1024 * 1024
_GZIP = b"\x1f\x8b"
_KINDS = {
    tarfile.REGTYPE: stat.S_IFREG,
    tarfile.AREGTYPE: stat.S_IFREG,
    tarfile.CONTTYPE: stat.S_IFREG,
    tarfile.DIRTYPE: stat.S_IFDIR,
    tarfile.SYMTYPE: stat.S_IFLNK,
    tarfile.LNKTYPE: stat.S_IFLNK,
    tarfile.CHRTYPE: stat.S_IFCHR,
    tarfile.BLKTYPE: stat.S_IFBLK,
    tarfile.FIFOTYPE: stat.S_IFIFO,
}


class TarArchive:
    """Tar file."""

    def __init__(self, path: Path, most_bytes: int = MOST_SOURCE_BYTES) -> None:
        """Begin without reading.

        Args:
            path: Path of the archive.
            most_bytes: Most bytes of the unpacked archive.
        """
        self._path = path
        self._most_bytes = most_bytes

    def members(self) -> tuple[Member, ...]:
        """As `Source.members`."""
        return tuple(_member(info) for info, _ in self._walk() if not _is_whole(info))

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """As `Source.read`."""
        wanted, files = set(paths), dict[str, bytes]()
        left = MOST_BYTES
        for info, archive in self._walk():
            if (path := _path_of(info)) not in wanted:
                continue
            file = archive.extractfile(info)
            most = min(left, LONGEST_FILE_BYTES)
            files[path] = file.read(most + 1) if file is not None else b""
            if len(files[path]) > most:
                raise ValueError(f"file {brief(path, 120)}: unpacks to more than {most} bytes")
            left -= len(files[path])
        return files

    def _walk(self) -> Iterator[tuple[tarfile.TarInfo, tarfile.TarFile]]:
        """Entries of the archive, in order.

        Raises:
            ValueError: the archive cannot be read.
        """
        try:
            with (
                self._unpack() as plain,
                tarfile.open(fileobj=cast("BinaryIO", _Bounded(plain)), mode="r:") as archive,
            ):
                for count, info in enumerate(archive, start=1):
                    if count > MOST_SOURCE_MEMBERS:
                        raise ValueError(f"{self._path}: has more than {MOST_SOURCE_MEMBERS} members")
                    yield info, archive
        except ValueError:
            raise
        except Exception as error:  # a damaged archive fails in many ways
            reason = error.strerror if isinstance(error, OSError) and error.strerror else brief(str(error), 200)
            raise ValueError(f"{self._path}: cannot be read as a tar file: {reason}") from error

    @contextmanager
    def _unpack(self) -> Iterator[BinaryIO]:
        """The archive without compression, in a file without a name."""
        with self._path.open("rb") as file, tempfile.TemporaryFile() as plain:
            packed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            source = cast("BinaryIO", gzip.GzipFile(fileobj=file)) if packed else file
            total = 0
            while part := source.read(_READ_BYTES):
                total += len(part)
                if total > self._most_bytes:
                    raise ValueError(f"{self._path}: unpacks to more than {self._most_bytes} bytes")
                plain.write(part)
            plain.seek(0)
            yield plain


class _Bounded:
    """File of which no single read may fill the memory, as a header of a hostile archive may ask for."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """As of a file.

        Raises:
            ValueError: too much is asked for.
        """
        if size < 0 or size > LONGEST_FILE_BYTES + 1:
            raise ValueError(f"a header or file of {size} bytes: at most {LONGEST_FILE_BYTES} are allowed")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As of a file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """As of a file."""
        return self._file.tell()


def _path_of(info: tarfile.TarInfo) -> str:
    return info.name.removeprefix("./").removesuffix("/")


def _is_whole(info: tarfile.TarInfo) -> bool:
    """True for the packed folder itself, as named by `tar -C FOLDER .`."""
    return info.isdir() and _path_of(info) == "."


def _member(info: tarfile.TarInfo) -> Member:
    kind = 0 if info.issparse() else _KINDS.get(info.type, 0)
    size = info.size if kind == stat.S_IFREG else 0
    return Member(_path_of(info), size, kind | stat.S_IMODE(info.mode))
