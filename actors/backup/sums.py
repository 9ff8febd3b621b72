"""Sums of a backup: the SHA-256 of each file, in a file written last and readable by `sha256sum -c`.

An interrupted backup has no sums. Modes, times, folders and links are kept in the copies themselves.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from actors.linux.disk import Disk, write_all

NAME = "SHA256SUMS"
DRAFT = f"{NAME}.new"
ROOT = "root"
"""Folder of a backup for the files below the data root."""
APART = "apart"
"""Folder of a backup for files from elsewhere: the settings' file and possibly the reminders' file."""
REMINDERS = "reminders.md"
"""In `apart`."""
CHUNK_BYTES = 1024 * 1024
MOST_NAMED = 3
"""Problems named in an error; the rest are counted."""
_LINE = re.compile(rb"(\\?)([0-9a-f]{64})  ([^\n]+)")
_UNESCAPED = {b"\\\\": b"\\", b"\\n": b"\n"}

ReportProgress = Callable[[str, int], object]
"""Receives the name of the work and the number of files done."""


def tell_none(_doing: str, _done: int) -> None:
    """Report progress to no listener."""


class BackupError(Exception):
    """A backup cannot be made or used; the text gives the reason and the remedy."""


def write(folder: Path, sums: Mapping[str, str], disk: Disk) -> None:
    """Put the file of sums into a backup, whole or not at all, and onto the disk.

    Args:
        folder: The backup's; its files are on the disk already.
        sums: Path below `folder` -> SHA-256 in hexadecimal.
        disk: Takes the file.
    """
    file = disk.open(folder / DRAFT, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        write_all(disk, file, b"".join(_line(os.fsencode(path), digest_hex) for path, digest_hex in sums.items()))
    finally:
        os.close(file)
    disk.replace(folder / DRAFT, folder / NAME)
    disk.sync_all()


def _line(name: bytes, digest_hex: str) -> bytes:
    """Line of a file in the format of `sha256sum`."""
    escaped = name.replace(b"\\", rb"\\").replace(b"\n", rb"\n")
    return (b"\\" if escaped != name else b"") + digest_hex.encode("ascii") + b"  " + escaped + b"\n"


def read(folder: Path) -> dict[str, str]:
    """The sums of the backup in `folder`, by path.

    Raises:
        BackupError: there are none, or a line is no sum.
    """
    try:
        data = (folder / NAME).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise BackupError(f"{folder}: holds no whole backup: it has no {NAME}, which is written last") from None
    except OSError as error:
        raise BackupError(f"{folder / NAME}: cannot be read: {error.strerror}") from error
    sums = {}
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise BackupError(f"{folder / NAME}: is damaged: line {number} is not a checksum; use another backup")
        escaped, digest_hex, name = match.groups()
        if escaped:
            name = re.sub(rb"\\[\\n]", lambda pair: _UNESCAPED[pair[0]], name)
        sums[os.fsdecode(name)] = digest_hex.decode("ascii")
    return sums


def verify(folder: Path, sums: Mapping[str, str], progress: ReportProgress = tell_none) -> int:
    """Read every file below `folder` and compare each with its sum; return the total bytes.

    Args:
        folder: Folder of the files.
        sums: By path below `folder`.
        progress: Receives the progress.

    Raises:
        BackupError: a file is missing, altered or not listed; names the first such files.
    """
    problems, size = list[str](), 0
    for number, path in enumerate(sorted({*sums, *_files(folder)}), 1):
        progress("verifying", number)
        try:
            file_size, digest_hex = digest(folder / path)
        except OSError as error:
            problems.append(f"{path!r}: {error.strerror}")
            continue
        size += file_size
        if digest_hex != sums.get(path):
            problems.append(f"{path!r}: {'is not what was copied' if path in sums else 'is not listed'}")
    if problems:
        more = f", and {len(problems) - MOST_NAMED} more" if len(problems) > MOST_NAMED else ""
        raise BackupError(f"{folder}: is damaged: {'; '.join(problems[:MOST_NAMED])}{more}; use another backup")
    return size


def _files(folder: Path) -> Iterator[str]:
    """Paths below `folder` of all but folders, links and the file of sums."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            if not path.is_symlink() and path != folder / NAME:
                yield str(path.relative_to(folder))


def digest(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a regular file, read from the disk instead of its cache where the system allows.

    Raises:
        OSError: the file cannot be read, or is not a regular file.
    """
    with open(path, "rb", buffering=0, opener=_open_file) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, "is no file", str(path))
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest()


def _open_file(path: str, flags: int) -> int:
    """Open no link, and wait for no pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
