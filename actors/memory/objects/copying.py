"""Copy of the store as it is at one moment, whether or not an agent has it open; for a backup."""

from __future__ import annotations

import errno
from pathlib import Path

import apsw

from actors.memory.objects.database import BUSY_MS, FILE, FOLDER

SIDES = (f"{FILE}-wal", f"{FILE}-shm")
__all__ = ["FILE", "FOLDER", "SIDES", "UncopyableError", "copy"]


class UncopyableError(Exception):
    """The file is no sound store; the text says why."""


def copy(store: Path, to: Path) -> None:
    """Copy a store into a new file, its WAL merged.

    Raises:
        UncopyableError: the file is damaged, or no store.
        OSError: it is locked, or the copy cannot be written.
    """
    try:
        source = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            source.set_busy_timeout(10 * BUSY_MS)
            list(source.execute("VACUUM INTO ?", (str(to),)))
        finally:
            source.close()
    except (apsw.NotADBError, apsw.CorruptError) as error:
        to.unlink(missing_ok=True)
        raise UncopyableError(str(error)) from error
    except apsw.Error as error:
        to.unlink(missing_ok=True)
        number = errno.ENOSPC if isinstance(error, apsw.FullError) else errno.EIO
        raise OSError(number, str(error), str(store)) from error
    to.chmod(0o600)
