"""Texts of versions: each stored as differences from the text before, never across windows, verified on reading."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection

from actors.memory.derived.database import Connection

DEEPEST = 20
"""Texts in a chain of differences; the next text is kept whole."""
_PIECE = 16 * 1024
_REACH = 8 * 1024
"""Distance by which equal passages may have moved. A piece and its surroundings make up the 32 KiB window of zlib; with
the end of the other text for all pieces, a text of more than 32 KiB would have no matches in reach."""


class DamagedTextError(Exception):
    """A text differs from the text stored."""


def hash_of(text: bytes) -> bytes:
    """SHA-256, the name of a text in its window."""
    return hashlib.sha256(text).digest()


def keep(connection: Connection, window: int, data: bytes, before: int | None) -> tuple[int, bool]:
    """Keep a text.

    Args:
        connection: In a transaction.
        window: Number of the window.
        data: The text in UTF-8.
        before: Id of the replaced text; None for a first text.

    Returns:
        (id, True if new in its window).
    """
    digest = hash_of(data)
    for (known,) in connection.execute("SELECT id FROM texts WHERE window = ? AND hash = ?", (window, digest)):
        return int(known), False
    base, depth, other = _base(connection, before)
    packed = _deflate(data, other)
    if base is not None and 4 * len(packed) > len(data) and len(whole := _deflate(data, b"")) <= len(packed):
        base, depth, packed = None, 0, whole
    row = window, digest, base, depth, len(data), packed
    list(connection.execute("INSERT INTO texts(window, hash, base, depth, size, data) VALUES (?, ?, ?, ?, ?, ?)", row))
    return int(connection.last_insert_rowid()), True


def replace(connection: Connection, before: int | None, text: int | None, at: int) -> None:
    """Note the changed text of a file's newest version.

    Args:
        connection: In a transaction.
        before: Id of the previous text; None without a text.
        text: Id of the present text; None without a text.
        at: Time of the change, in microseconds.
    """
    if text is not None:
        list(connection.execute("UPDATE texts SET newest = newest + 1 WHERE id = ?", (text,)))
    if before is not None:
        list(connection.execute("UPDATE texts SET newest = newest - 1, replaced = ? WHERE id = ?", (at, before)))


def read(connection: Connection, text: int) -> str:
    """A text.

    Raises:
        DamagedTextError: the text was altered.
    """
    return _plain(connection, text).decode()


def forget(connection: Connection, gone: Collection[int]) -> None:
    """Delete texts; other texts kept as differences from them are kept whole from now on.

    Args:
        connection: In a transaction.
        gone: Ids of the texts.
    """
    for text in gone:
        for (other,) in list(connection.execute("SELECT id FROM texts WHERE base = ?", (text,))):
            if other not in gone:
                _keep_whole(connection, other)
    list(connection.executemany("UPDATE versions SET text = NULL WHERE text = ?", [(text,) for text in gone]))
    # A text is younger than what it is kept against.
    list(connection.executemany("DELETE FROM texts WHERE id = ?", [(text,) for text in sorted(gone, reverse=True)]))


def _keep_whole(connection: Connection, text: int) -> None:
    """Store a text without a base; an unreadable text stays as it is, and stays refused."""
    try:
        data = _deflate(_plain(connection, text), b"")
    except DamagedTextError:
        list(connection.execute("UPDATE texts SET base = NULL, depth = 0 WHERE id = ?", (text,)))
        return
    list(connection.execute("UPDATE texts SET base = NULL, depth = 0, data = ? WHERE id = ?", (data, text)))


def _base(connection: Connection, before: int | None) -> tuple[int | None, int, bytes]:
    """Base of a new text: id, depth of the new text, content of the base; no base when a chain is long enough."""
    if before is None:
        return None, 0, b""
    ((depth,),) = connection.execute("SELECT depth FROM texts WHERE id = ?", (before,))
    if depth + 1 >= DEEPEST:
        return None, 0, b""
    try:
        return before, depth + 1, _plain(connection, before)
    except DamagedTextError:
        return None, 0, b""


def _plain(connection: Connection, text: int) -> bytes:
    """Bytes of a text, rebuilt through its chain of bases and verified by their hash."""
    chain: list[tuple[bytes, int, bytes]] = []
    at: int | None = text
    while at is not None:
        rows = list(connection.execute("SELECT base, hash, size, data FROM texts WHERE id = ?", (at,)))
        if not rows or len(chain) > DEEPEST:
            raise DamagedTextError(f"text {text}: what it is kept against is not there")
        base, digest, size, data = rows[0]
        chain.append((digest, size, data))
        at = base
    plain = b""
    for _, size, data in reversed(chain):
        plain = _inflate(data, size, plain)
    if hash_of(plain) != chain[0][0]:
        raise DamagedTextError(f"text {text}: it has another hash than it was kept with")
    return plain


def _deflate(data: bytes, other: bytes) -> bytes:
    """A text compressed against `other`, also needed by its reader; by itself if `other` is empty."""
    if not other:
        return zlib.compress(data, 6)
    return b"".join(_deflate_piece(data, other, at) for at in range(0, len(data), _PIECE))


def _deflate_piece(data: bytes, other: bytes, at: int) -> bytes:
    packer = zlib.compressobj(6, zdict=_around(other, at))
    return packer.compress(data[at : at + _PIECE]) + packer.flush()


def _inflate(data: bytes, size: int, other: bytes) -> bytes:
    """The decompressed text, with so many bytes expected."""
    try:
        if not other:
            return zlib.decompress(data)
        pieces = []
        for at in range(0, size, _PIECE):
            unpacker = zlib.decompressobj(zdict=_around(other, at))
            pieces.append(unpacker.decompress(data) + unpacker.flush())
            data = unpacker.unused_data
    except zlib.error as error:
        raise DamagedTextError(str(error)) from error
    return b"".join(pieces)


def _around(other: bytes, at: int) -> bytes:
    """Part of another text near a place; its end if the text is too short."""
    return other[max(0, at - _REACH) : at + _PIECE + _REACH] or other[-_REACH:]
