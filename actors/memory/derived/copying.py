"""Copies of SQLite files, each as at a single moment."""

from __future__ import annotations

import errno
from pathlib import Path

import apsw

from actors.memory.derived.database import DAMAGE, Schema, open_to_read


class UncopyableError(Exception):
    """The file is no sound database; the text says why."""


def copy_database(path: Path, to: Path, schema: Schema) -> None:
    """Copy a database, as at a single moment, into a new file, its WAL merged.

    Raises:
        UncopyableError: the file is damaged, or no database.
        OSError: the file is locked, or the copy cannot be written.
    """
    try:
        source = open_to_read(path, schema)
        try:
            list(source.execute("VACUUM INTO ?", (str(to),)))
        finally:
            source.close()
    except DAMAGE as error:
        to.unlink(missing_ok=True)
        raise UncopyableError(str(error)) from error
    except apsw.Error as error:
        to.unlink(missing_ok=True)
        number = errno.ENOSPC if isinstance(error, apsw.FullError) else errno.EIO
        raise OSError(number, str(error), str(path)) from error
    to.chmod(0o600)
