"""Texts of versions: each kept as what differs from the one before it, never across windows, and proved when read."""

from __future__ import annotations

import hashlib
import zlib

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


def keep(connection: apsw.Connection, window: int, text: str, before: int | None) -> int:
    """Keep a text; its id.

    Args:
        connection: In a transaction.
        window: Whose.
        text: Any.
        before: Id of the text that it replaces; None for none.
    """
    data = text.encode()
    digest = hash_of(data)
    for (known,) in connection.execute("SELECT id FROM texts WHERE window = ? AND hash = ?", (window, digest)):
        return int(known)
    base, depth, dictionary = _base(connection, before)
    row = window, digest, base, depth, len(data), _deflated(data, dictionary)
    list(connection.execute("INSERT INTO texts(window, hash, base, depth, size, data) VALUES (?, ?, ?, ?, ?, ?)", row))
    return int(connection.last_insert_rowid())


def read(connection: apsw.Connection, text: int) -> str:
    """A text.

    Raises:
        DamagedTextError: it is not the one that was kept.
    """
    return _plain(connection, text).decode()


def forget(connection: apsw.Connection, text: int) -> int:
    """Delete a text that no version has; those that are kept as what differs from it are kept whole from now on.

    Args:
        connection: In a transaction.
        text: Its id.

    Returns:
        How many bytes less are kept; it may be that more are.
    """
    ((freed,),) = connection.execute("SELECT length(data) FROM texts WHERE id = ?", (text,))
    for (other,) in list(connection.execute("SELECT id FROM texts WHERE base = ?", (text,))):
        ((before,),) = connection.execute("SELECT length(data) FROM texts WHERE id = ?", (other,))
        whole = _deflated(_plain(connection, other), b"")
        list(connection.execute("UPDATE texts SET base = NULL, depth = 0, data = ? WHERE id = ?", (whole, other)))
        freed -= len(whole) - before
    list(connection.execute("DELETE FROM texts WHERE id = ?", (text,)))
    return int(freed)


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
