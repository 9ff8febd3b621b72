"""Sidecars of a memory folder: journal and page table, and protection of both from commands."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from actors.curated.folder import MemoryFolder
from actors.edited_file.access import FileRefusedError, read_first
from actors.linux.disk import Disk, put_whole, write_all, write_some
from domain.curated import config as folder_config
from domain.curated import journal, table
from domain.curated.journal import Operation
from domain.curated.page import Scope

_GITIGNORE = ".gitignore"
_IGNORED = "MEMORY.local.md\npage-table.jsonl\nwriteback-journal.jsonl\n.*.agent*\n.*.new\n"
"""Entries for a project's folder: personal files, and derived files."""
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK


def append_steps(disk: Disk, folder: Path, steps: Iterable[tuple[Operation, str]]) -> None:
    """Append steps of operations to a folder's journal, safe from a crash and a power loss.

    Args:
        disk: Disk that stores.
        folder: An existing memory folder.
        steps: Operations, each with the reason of a rejection.

    Raises:
        FileRefusedError: the journal has other names or is no regular file, or is full.
        OSError: the journal cannot be written.
    """
    noted = tuple(steps)
    lines = b"".join(journal.line(operation, reason) for operation, reason in noted)
    if not lines:
        return
    append_lines(disk, folder, lines, journal.room_for(operation for operation, _ in noted))


def append_lines(disk: Disk, folder: Path, lines: bytes, most_bytes: int = journal.LIMIT_BYTES) -> None:
    """Append lines to a journal; a journal that would become longer than `most_bytes` is full."""
    path = folder / journal.FILE
    fd = disk.open(path, _APPEND, 0o600)
    try:
        size = _own_size(fd, path)
        if size + len(lines) > most_bytes:
            raise FileRefusedError(f"{path}: is full with {size:,} bytes; commit what waits first (/memory flush)")
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        write_all(disk, fd, (b"\n" if torn else b"") + lines)
    finally:
        os.close(fd)
    # Whoever made the file, or a life that ended just then, may have left its name unsynced.
    disk.sync_folder(folder)


def shorten_journal(disk: Disk, folder: Path, spare: Path) -> None:
    """Rewrite a long journal without finished operations, unless the saving is small; see `rewrite_journal`."""

    def shorten(data: bytes) -> bytes:
        shortened = journal.compact_journal(data)
        return data if len(data) > journal.LIMIT_BYTES or len(shortened) * 2 > len(data) else shortened

    path = folder / journal.FILE
    if path.is_file() and path.lstat().st_size > journal.LONG_BYTES:
        rewrite_journal(disk, folder, spare, shorten)


def rewrite_journal(disk: Disk, folder: Path, spare: Path, change: Callable[[bytes], bytes]) -> None:
    """Have a journal hold other lines.

    The journal stays the same file: running commands see this file write-protected, but not a replacement. So until the
    journal is whole again, its new content lies in `spare`, from where `mend_journal` restores the journal.

    Args:
        disk: What stores.
        folder: A memory folder with a journal.
        spare: Path for a file that no other program writes; the folder exists.
        change: Gives the new content.

    Raises:
        FileRefusedError: the journal is no file of its own.
        OSError: the journal cannot be rewritten.
    """
    mend_journal(disk, folder, spare)  # before the lines there are overwritten
    path = folder / journal.FILE
    fd = disk.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _own_size(fd, path)
        data = read_first(fd, journal.LIMIT_BYTES + 1)
        changed = change(data)
        if changed == data:
            return
        put_whole(disk, spare, changed)
        if os.fstat(fd).st_size != len(data):  # another agent has the same folder
            return
        os.close(disk.open(path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK))
    finally:
        os.close(fd)
    mend_journal(disk, folder, spare)


def mend_journal(disk: Disk, folder: Path, spare: Path) -> None:
    """Restore lines left in `spare` by an interrupted shortening; a duplicate line counts as one.

    Raises:
        OSError: the lines cannot be restored yet.
    """
    try:
        lines = spare.read_bytes()
    except FileNotFoundError:
        return
    if lines:
        append_lines(disk, folder, lines)
    disk.unlink(spare)


def write_table(disk: Disk, folder: MemoryFolder) -> tuple[int, tuple[str, ...]]:
    """Make a folder's page table anew from its markdown.

    Returns:
        Number of listed pages, and the unreadable files.

    Raises:
        OSError: the table cannot be written.
    """
    if not folder.files():  # there is nothing to list, and its disk may not be mounted
        return 0, ()
    snapshot = folder.look()
    index, document = snapshot.index or b"", snapshot.document
    topics, notes = folder.topic_pages()
    _put_into(disk, folder.path / table.FILE, table.table(index, document, topics))
    return len(document.pages) + sum(len(each.pages) for each in topics.values()), notes


def keep_from_commands(disk: Disk, folder: MemoryFolder) -> tuple[str, ...]:
    """Names in a writable folder that commands may only read; each file exists from now on.

    A command with write access could turn the memory off for all users, or drop facts staged by other users.

    Raises:
        OSError: a file cannot be made.
    """
    if folder.scope is Scope.PROJECT:
        ignore_sidecars(disk, folder.path)
    for name, content in ((folder_config.FILE, b"{}\n"), (journal.FILE, b"")):
        _make(disk, folder.path / name, content)
    if not os.path.lexists(folder.path / table.FILE):
        write_table(disk, folder)
    return (folder_config.FILE, journal.FILE, table.FILE)


def ignore_sidecars(disk: Disk, folder: Path) -> None:
    """Make git ignore the private files of a project's memory.

    Raises:
        OSError: the ignore file cannot be made.
    """
    _make(disk, folder / _GITIGNORE, _IGNORED.encode(), 0o644)


def _put_into(disk: Disk, path: Path, content: bytes) -> None:
    """Write content to a file without replacing the file, so running commands are still kept from it.

    A crash or a power loss may leave a half-written file: the file is made anew. A link, or a file with several names,
    is removed first.

    Raises:
        OSError: the file cannot be written.
    """
    with suppress(FileNotFoundError):
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            path.rmdir()
        elif not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            disk.unlink(path)
    fd = disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        _own_size(fd, path)
        os.ftruncate(fd, 0)
        write_some(disk, fd, content)
    finally:
        os.close(fd)


def _make(disk: Disk, path: Path, content: bytes, mode: int = 0o600) -> None:
    """Create a file, whole; an existing file stays unchanged."""
    if os.path.lexists(path):
        return
    fd = disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        if content:
            write_all(disk, fd, content)
    except OSError:  # half of it would stay, as one that is there does
        with suppress(OSError):
            disk.unlink(path)
        raise
    finally:
        os.close(fd)


def _own_size(fd: int, path: Path) -> int:
    """Size in bytes of a regular file with one name.

    Raises:
        FileRefusedError: the file is not regular, or has other names.
    """
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise FileRefusedError(f"{path}: must be a regular file with one name")
    return status.st_size
