"""Texts of versions: each kept as what differs from the one before it, never across windows, and proved when read."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection

import apsw

DEEPEST = 20
"""Texts in a chain of differences; the next one is kept whole."""
_WINDOW = 32 * 1024
"""What zlib looks back over."""


class DamagedTextError(Exception):
    """A text is not what was kept."""


def hash_of(text: bytes) -> bytes:
    """SHA-256, by which a text is known in its window."""
    return hashlib.sha256(text).digest()


def keep(connection: apsw.Connection, window: int, data: bytes, before: int | None) -> tuple[int, bool]:
    """Keep a text.

    Args:
        connection: In a transaction.
        window: Whose.
        data: The text in UTF-8.
        before: Id of the text that it replaces; None for none.

    Returns:
        Its id, and whether it is new in its window.
    """
    digest = hash_of(data)
    for (known,) in connection.execute("SELECT id FROM texts WHERE window = ? AND hash = ?", (window, digest)):
        return int(known), False
    base, depth, dictionary = _base(connection, before)
    row = window, digest, base, depth, len(data), _deflated(data, dictionary)
    list(connection.execute("INSERT INTO texts(window, hash, base, depth, size, data) VALUES (?, ?, ?, ?, ?, ?)", row))
    return int(connection.last_insert_rowid()), True


def replace(connection: apsw.Connection, before: int | None, text: int | None, at: int) -> None:
    """Note that a file's newest version has another text than the one before it.

    Args:
        connection: In a transaction.
        before: Id of the text that it had; None for none.
        text: Id of the one that it has now; None for none.
        at: Since when, in microseconds.
    """
    if text is not None:
        list(connection.execute("UPDATE texts SET newest = newest + 1 WHERE id = ?", (text,)))
    if before is not None:
        list(connection.execute("UPDATE texts SET newest = newest - 1, replaced = ? WHERE id = ?", (at, before)))


def read(connection: apsw.Connection, text: int) -> str:
    """A text.

    Raises:
        DamagedTextError: it is not the one that was kept.
    """
    return _plain(connection, text).decode()


def forget(connection: apsw.Connection, gone: Collection[int]) -> None:
    """Delete texts; those that are kept as what differs from one of them are kept whole from now on.

    Args:
        connection: In a transaction.
        gone: Their ids.
    """
    for text in gone:
        for (other,) in list(connection.execute("SELECT id FROM texts WHERE base = ?", (text,))):
            if other not in gone:
                _keep_whole(connection, other)
    list(connection.executemany("UPDATE versions SET text = NULL WHERE text = ?", [(text,) for text in gone]))
    # A text is younger than what it is kept against.
    list(connection.executemany("DELETE FROM texts WHERE id = ?", [(text,) for text in sorted(gone, reverse=True)]))


def _keep_whole(connection: apsw.Connection, text: int) -> None:
    """Have a text stand by itself; one that cannot be read stays as it is, and is still given to nobody."""
    try:
        data = _deflated(_plain(connection, text), b"")
    except DamagedTextError:
        list(connection.execute("UPDATE texts SET base = NULL, depth = 0 WHERE id = ?", (text,)))
        return
    list(connection.execute("UPDATE texts SET base = NULL, depth = 0, data = ? WHERE id = ?", (data, text)))


def _base(connection: apsw.Connection, before: int | None) -> tuple[int | None, int, bytes]:
    """What a new text is kept against: id, its own depth, and the dictionary; nothing when a chain is long enough."""
    if before is None:
        return None, 0, b""
    ((depth,),) = connection.execute("SELECT depth FROM texts WHERE id = ?", (before,))
    if depth + 1 >= DEEPEST:
        return None, 0, b""
    try:
        return before, depth + 1, _plain(connection, before)[-_WINDOW:]
    except DamagedTextError:
        return None, 0, b""


def _plain(connection: apsw.Connection, text: int) -> bytes:
    """Bytes of a text, through all that it is kept against, and proved by their hash."""
    chain: list[tuple[bytes, bytes]] = []
    at: int | None = text
    while at is not None:
        rows = list(connection.execute("SELECT base, hash, data FROM texts WHERE id = ?", (at,)))
        if not rows or len(chain) > DEEPEST:
            raise DamagedTextError(f"text {text}: what it is kept against is not there")
        base, digest, data = rows[0]
        chain.append((digest, data))
        at = base
    plain = b""
    for digest, data in reversed(chain):
        plain = _inflated(data, plain[-_WINDOW:])
        if hash_of(plain) != digest:
            raise DamagedTextError(f"text {text}: it has another hash than it was kept with")
    return plain


def _deflated(data: bytes, dictionary: bytes) -> bytes:
    packer = zlib.compressobj(6, zdict=dictionary) if dictionary else zlib.compressobj(6)
    return packer.compress(data) + packer.flush()


def _inflated(data: bytes, dictionary: bytes) -> bytes:
    unpacker = zlib.decompressobj(zdict=dictionary) if dictionary else zlib.decompressobj()
    try:
        return unpacker.decompress(data) + unpacker.flush()
    except zlib.error as error:
        raise DamagedTextError(str(error)) from error
