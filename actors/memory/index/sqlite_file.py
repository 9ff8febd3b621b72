"""SQLite files of the memory's rooms: transactions, and what a file and its WAL are called, are and become."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import apsw

OLDEST_SQLITE = (3, 51, 3)
"""Older ones can corrupt a WAL file when two connections race (sqlite.org, 3.51.3)."""
_SIDES = ("-wal", "-shm")


def require_sqlite() -> None:
    """Refuse a SQLite that can corrupt a database.

    Raises:
        RuntimeError: it is older than `OLDEST_SQLITE`.
    """
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < OLDEST_SQLITE:
        raise RuntimeError(
            f"SQLite {apsw.sqlite_lib_version()}: {'.'.join(map(str, OLDEST_SQLITE))} or newer is required"
        )


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Begin a transaction, all or nothing; inside another transaction, join it.

    apsw's own context manager asks for a rollback even after a full disk has made SQLite roll back by itself.
    """
    if connection.in_transaction:
        yield
        return
    list(connection.execute("BEGIN IMMEDIATE"))
    try:
        yield
        list(connection.execute("COMMIT"))
    except BaseException:
        if not connection.getautocommit():
            list(connection.execute("ROLLBACK"))
        raise


def is_in_place(path: Path, connection_inode: tuple[int, int]) -> bool:
    """True if the path still names the file that was opened."""
    try:
        status = path.stat()
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == connection_inode and status.st_nlink > 0


def inode(path: Path) -> tuple[int, int]:
    """(device, inode) of the file at `path`, to notice its replacement."""
    status = path.stat()
    return status.st_dev, status.st_ino


def created(path: Path, make: Callable[[apsw.Connection], apsw.Connection]) -> apsw.Connection:
    """A new database for the agent's user alone; nothing is left of one that cannot be made.

    Args:
        path: Where; nothing stands there.
        make: Gives it its tables.

    Raises:
        apsw.Error: the disk does not take it.
        OSError: the same.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        path.chmod(0o600)
        return make(connection)
    except (apsw.Error, OSError):
        connection.close()
        path.unlink(missing_ok=True)
        remove_sides(path)
        raise


def move_aside(path: Path, now: datetime) -> Path:
    """Rename a database with its side files; its new path."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}.unusable-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.unusable-{stamp}-{number}")
    path.rename(aside)
    for side, there in zip(sides_of(aside), sides_of(path), strict=True):
        if there.exists():
            there.rename(side)
    return aside


def remove_sides(path: Path) -> None:
    """A WAL without its database belongs to nothing, and would be taken for a new one's."""
    for side in sides_of(path):
        side.unlink(missing_ok=True)


def inodes_of_sides(path: Path) -> dict[Path, tuple[int, int]]:
    """(device, inode) of the WAL and shared-memory file of an open database, to notice their replacement."""
    return {side: inode(side) for side in sides_of(path) if side.exists()}


def remove_own_sides(path: Path, own: dict[Path, tuple[int, int]]) -> None:
    """Delete the WAL of a database that is not there any more, which would be played into one that replaces it.

    Args:
        path: Of the database.
        own: What its sides were, of `inodes_of_sides`; another one's stay.
    """
    for side in sides_of(path):
        if side in own and is_in_place(side, own[side]):
            side.unlink(missing_ok=True)


def sides_of(path: Path) -> tuple[Path, ...]:
    """Paths of a database's WAL and shared-memory file."""
    return tuple(Path(f"{path}{side}") for side in _SIDES)
