"""Ends of settled logs, noted by a start so the next start need not read these files again.

Derived, and trusted only while the files are unchanged: by sizes and times, of their folders too.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec

from actors.linux.disk import RealDisk, put_whole
from actors.linux.regular_file import read_regular
from messages.base import make_ready

log = logging.getLogger(__name__)

FILE_NAME = "log-ends"
_FORMAT = b"log-ends 1\n"
_HASH_BYTES = 16


class SettledEnd(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """End of a window's newest log, with no work left."""

    name: str
    """File name of the log."""
    last_message_id: int
    size: int
    inode: int
    changed_ns: int
    """Last change of the log of any kind, in ns since 1970; file systems let no user choose this time."""
    folder_changed_ns: int
    """Last change of the log's folder: no log was made there since."""


class EndsFile:
    """The file below a data root, read once and then written anew; a bad file counts as missing."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE_NAME

    def load(self) -> dict[str, SettledEnd]:
        """Window key -> end of its log, as an earlier start left the log."""
        try:
            data = read_regular(self._path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            log.warning("%s cannot be read, so every log's end is: %s", self._path, error.strerror)
            return {}
        body = data[len(_FORMAT) + _HASH_BYTES :]
        if data != _head(body) + body:
            log.warning("%s is damaged, so every log's end is read", self._path)
            return {}
        return msgspec.msgpack.decode(body, type=dict[str, SettledEnd])

    def save(self, ends: Mapping[str, SettledEnd]) -> None:
        """Write all of `ends`; a failed write costs the next start some time."""
        body = msgspec.msgpack.encode(ends)
        try:
            put_whole(RealDisk(), self._path, _head(body) + body, is_durable=False)
        except OSError as error:
            log.warning("%s cannot be written, so the next start takes longer: %s", self._path, error.strerror)


def end_of(folder: str, name: str) -> SettledEnd:
    """Stat values of the log `name` in `folder`, for a settled log; taken before the log is read.

    Raises:
        OSError: the log is not there.
    """
    return SettledEnd(name, 0, *_stat_values(folder, name))


def is_same(folder: str, end: SettledEnd) -> bool:
    """True if, since `end` was noted, the log was not written to and no log was made beside it."""
    try:
        now = _stat_values(folder, end.name)
    except OSError:
        return False
    return now == (end.size, end.inode, end.changed_ns, end.folder_changed_ns)


def _stat_values(folder: str, name: str) -> tuple[int, int, int, int]:
    """Size, inode and last change of a log, and its folder's last change."""
    log_file = os.stat(f"{folder}/{name}", follow_symlinks=False)  # noqa: PTH116 - twice as fast, for every window there is
    beside = os.stat(folder, follow_symlinks=False)  # noqa: PTH116
    return log_file.st_size, log_file.st_ino, log_file.st_ctime_ns, beside.st_ctime_ns


def _head(body: bytes) -> bytes:
    return _FORMAT + blake2b(body, digest_size=_HASH_BYTES).digest()


make_ready(__name__)
