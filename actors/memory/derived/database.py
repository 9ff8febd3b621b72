"""SQLite files: opened, checked, moved aside, made anew, copied. Only this module opens a database.

Other modules and rooms take SQLite's connections and errors from here.
"""

from __future__ import annotations

import logging
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import apsw

from actors.linux.private_folder import make_private

log = logging.getLogger(__name__)

OLDEST_SQLITE = (3, 51, 3)
"""Older versions can corrupt a WAL file when two connections race (sqlite.org, 3.51.3)."""
_SIDES = ("-wal", "-shm")
_ASIDE = ".unusable-"
_SHAPE = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
_PRAGMAS = (
    *("journal_mode = wal", "synchronous = normal", "foreign_keys = on", "temp_store = memory"),
    "secure_delete = on",  # from the first row on: a page that was split earlier keeps copies otherwise
)

Connection = apsw.Connection
DatabaseError = apsw.Error
DAMAGE = (apsw.CorruptError, apsw.NotADBError)
"""Errors of a damaged file."""
PASSING = (apsw.BusyError, apsw.FullError)
"""Errors that leave an open file as usable as before."""
UNREADABLE = (*DAMAGE, apsw.SQLError, UnicodeDecodeError)
"""Errors of a file with content not written by this program."""


class ForeignDatabaseError(Exception):
    """The file is not a database of this program, or not sound; the text gives the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Kind of database: place, tables, and settings of connections."""

    name: str
    """In sentences: `the object store`."""
    place: str
    """Path below the data root."""
    tables: str
    version: int
    """`user_version` of the file; a file of another version is moved aside."""
    remedy: str
    """Consequence of an unusable file: `versions begin anew`."""
    application_id: int = 0
    busy_ms: int = 200
    """Milliseconds that a statement waits for another program's lock."""
    pragmas: tuple[str, ...] = ()
    pragmas_of_new: tuple[str, ...] = ()
    """Settings accepted by a new file only."""
    prepare: Callable[[Connection], None] = lambda _connection: None
    """Called with each connection."""
    check: Callable[[Connection], None] = lambda _connection: None
    """Called with a connection to an existing file opened for writing; raises `ForeignDatabaseError`."""
    keeps_in_doubt: bool = False
    """True if a file with reported damage is compared, and kept if sound; False to make the file anew at once."""

    def path(self, data_root: Path) -> Path:
        """Path of the file."""
        return data_root / self.place


class DerivedDatabase:
    """Open database, made anew if missing or unusable."""

    def __init__(self, schema: Schema, path: Path | None, now: datetime, *, is_doubtful: bool = False) -> None:
        """Open the file; an unsound file is moved aside.

        Args:
            schema: Kind of the database.
            path: Path of the file; None to keep all data in memory.
            now: The time.
            is_doubtful: True if damage was found in the file.

        Raises:
            apsw.Error: the file is locked, or the disk refuses the file.
            OSError: its folder cannot be made or written.
        """
        require_sqlite()
        self._path = path
        self.is_new = True
        self.aside: Path | None = None
        """New path of an unusable file."""
        if path is None:
            self.connection = _fill(open_scratch(), schema)
        else:
            make_private(path.parent)
            self.connection = self._open(schema, path, now, is_doubtful=is_doubtful)
        self.inode = inode(path) if path is not None else (0, 0)
        """(device, inode) of the file, to notice its replacement."""
        sides = sides_of(path) if path is not None else ()
        self._sides = {side: inode(side) for side in sides if side.exists()}

    def _open(self, schema: Schema, path: Path, now: datetime, *, is_doubtful: bool) -> Connection:
        try:
            status = path.lstat()
        except FileNotFoundError:
            return _create(path, schema)
        try:
            if not stat.S_ISREG(status.st_mode):
                raise ForeignDatabaseError("it is not a regular file")
            if is_doubtful and not schema.keeps_in_doubt:
                raise ForeignDatabaseError("damaged")
            connection = _open_existing(path, schema, "integrity_check" if is_doubtful else "quick_check")
        except ForeignDatabaseError as error:
            self.aside = move_aside(path, now)
            log.warning("%s was not usable (%s): moved to %s, %s", schema.name, error, self.aside, schema.remedy)
            return _create(path, schema)
        self.is_new = False
        return connection

    @property
    def is_in_place(self) -> bool:
        """True if the path still names the open file."""
        return self._path is None or _is_in_place(self._path, self.inode)

    @property
    def size_bytes(self) -> int:
        """Size of the file without its WAL; 0 in memory."""
        return self._path.stat().st_size if self._path is not None else 0

    def close(self) -> None:
        """Close the file. Idempotent.

        The WAL of a missing file is deleted: SQLite would play the WAL into the next file at that path.
        """
        self.connection.close()
        if not self.is_in_place:
            for side, own in self._sides.items():
                if _is_in_place(side, own):
                    side.unlink(missing_ok=True)

    def tidy(self) -> bool:
        """Checkpoint and empty the WAL; False if another program's reading keeps the WAL."""
        ((is_busy, *_),) = self.connection.execute("PRAGMA wal_checkpoint(truncate)")
        return not is_busy

    def scrub(self) -> None:
        """Erase deleted rows from the WAL, and remove unusable files that were moved aside.

        Raises:
            apsw.BusyError: another program's reading keeps the WAL.
            OSError: a file cannot be removed.
        """
        if not self.tidy():
            raise apsw.BusyError("another program reads the WAL")
        if self._path is not None:
            for aside in self._path.parent.glob(f"{self._path.name}{_ASIDE}*"):
                aside.unlink(missing_ok=True)


def require_sqlite() -> None:
    """Refuse a SQLite that can corrupt a database.

    Raises:
        RuntimeError: the library is older than `OLDEST_SQLITE`.
    """
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < OLDEST_SQLITE:
        raise RuntimeError(
            f"SQLite {apsw.sqlite_lib_version()}: {'.'.join(map(str, OLDEST_SQLITE))} or newer is required"
        )


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Begin a transaction, all or nothing; inside another transaction, join the outer transaction.

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


def open_scratch() -> Connection:
    """Empty database in memory, ending with its connection."""
    return apsw.Connection(":memory:")


def open_to_read(path: Path, schema: Schema) -> Connection:
    """The file at `path` as found, even if an agent has the file open; the file is not changed.

    Raises:
        apsw.Error: the file cannot be read.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(10 * schema.busy_ms)
    schema.prepare(connection)
    return connection


def open_closed_to_read(path: Path, schema: Schema, scratch: Path) -> Connection:
    """The file at `path`, not open in any agent, without a trace in its folder.

    After a crash, the WAL is read from a copy: reading in place would write there, and an immutable database has no
    WAL.

    Args:
        path: The file.
        schema: Kind of the database.
        scratch: Private folder for the copy.

    Raises:
        apsw.Error: the file cannot be read.
        OSError: the file cannot be copied.
    """
    wal = Path(f"{path}-wal")
    if wal.exists() and wal.stat().st_size:
        copied = scratch / path.name
        shutil.copyfile(path, copied)
        shutil.copyfile(wal, f"{copied}-wal")
        return open_raw(copied, schema)
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"{path.resolve().as_uri()}?immutable=1", flags=flags)
    schema.prepare(connection)
    return connection


def open_raw(path: Path, schema: Schema) -> Connection:
    """The file at `path`, to be written, whatever its content.

    Raises:
        apsw.Error: the file cannot be opened.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(schema.busy_ms)
    schema.prepare(connection)
    return connection


def require_sound(connection: Connection, schema: Schema, check: str = "quick_check") -> None:
    """Return if the file is a database of this kind and version, with all content as written by SQLite.

    Args:
        connection: Open file.
        schema: Expected kind.
        check: SQLite's check of the content; empty for no check.

    Raises:
        ForeignDatabaseError: the file is not sound.
        apsw.Error: the file cannot be read.
    """
    ((application,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    if (application, version) != (schema.application_id, schema.version):
        raise ForeignDatabaseError(
            f"its kind and version are {application:#x} and {version}, not {schema.application_id:#x} "
            f"and {schema.version}"
        )
    if dict(connection.execute(_SHAPE)) != _shape(schema):
        raise ForeignDatabaseError("its tables differ")
    if check and (verdict := list(connection.execute(f"PRAGMA {check}(1)"))) != [("ok",)]:
        raise ForeignDatabaseError(f"damaged: {verdict[0][0] if verdict else 'unreadable'}")


def disown(path: Path, schema: Schema) -> None:
    """Have the file at `path` moved aside and made anew at the next opening.

    Raises:
        apsw.Error: the note cannot be written now.
    """
    connection = open_raw(path, schema)
    try:
        list(connection.execute("PRAGMA user_version = 0"))
    except DAMAGE as error:
        log.info("the next opening sees it without a note: %s", error)
    finally:
        connection.close()


def move_aside(path: Path, now: datetime) -> Path:
    """Rename a database with its side files; its new path."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}{_ASIDE}{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}{_ASIDE}{stamp}-{number}")
    path.rename(aside)
    for side, there in zip(sides_of(aside), sides_of(path), strict=True):
        if there.exists():
            there.rename(side)
    return aside


def inode(path: Path) -> tuple[int, int]:
    """(device, inode) of the file at `path`."""
    status = path.stat()
    return status.st_dev, status.st_ino


def sides_of(path: Path) -> tuple[Path, ...]:
    """Paths of a database's WAL and shared-memory file."""
    return tuple(Path(f"{path}{side}") for side in _SIDES)


def _is_in_place(path: Path, opened: tuple[int, int]) -> bool:
    try:
        status = path.stat()
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == opened and status.st_nlink > 0


def _shape(schema: Schema) -> dict[str, str]:
    connection = open_scratch()
    try:
        list(connection.execute(schema.tables))
        return dict(connection.execute(_SHAPE))
    finally:
        connection.close()


def _open_existing(path: Path, schema: Schema, check: str) -> Connection:
    connection = open_raw(path, schema)
    try:
        _set_up(connection, schema)
        require_sound(connection, schema, check)
        schema.check(connection)
    except UNREADABLE as error:
        connection.close()
        raise ForeignDatabaseError(str(error)) from error
    except (ForeignDatabaseError, apsw.Error):
        connection.close()
        raise
    return connection


def _create(path: Path, schema: Schema) -> Connection:
    """A new database for the agent's user alone; a failure leaves no file."""
    for side in sides_of(path):  # A WAL without its database would be taken for the new one's.
        side.unlink(missing_ok=True)
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        path.chmod(0o600)
        connection.set_busy_timeout(schema.busy_ms)
        schema.prepare(connection)
        return _fill(connection, schema)
    except (apsw.Error, OSError):
        connection.close()
        for left in (path, *sides_of(path)):
            left.unlink(missing_ok=True)
        raise


def _fill(connection: Connection, schema: Schema) -> Connection:
    """Give an empty database its tables."""
    for pragma in schema.pragmas_of_new:
        list(connection.execute(f"PRAGMA {pragma}"))
    _set_up(connection, schema)
    with transaction(connection):
        list(connection.execute(schema.tables))
        list(connection.execute(f"PRAGMA application_id = {schema.application_id}"))
        list(connection.execute(f"PRAGMA user_version = {schema.version}"))
    return connection


def _set_up(connection: Connection, schema: Schema) -> None:
    # A statement that returns rows ends an execute() until they are fetched, so each is fetched.
    for pragma in (*_PRAGMAS, *schema.pragmas):
        list(connection.execute(f"PRAGMA {pragma}"))
