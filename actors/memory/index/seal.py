"""Seals of the index's content: sums over rows and vectors, to reveal changes by other programs or a bad disk.

A row's seal covers its words, their place in the logs and their window. The window is taken from the log's path, so no
altered number moves a row to another window.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from hashlib import blake2b

import apsw

_ROWS = """
SELECT t.id, f.path, t.line, t.event, t.turn, t.role, t.author, t.timestamp, t.content, t.hash,
  t.seal, coalesce(w.key, ''), coalesce(home.key, ''), t.vector IS NULL OR v.hash IS t.hash,
  t.pinned = coalesce(
    (SELECT pinned FROM pins p WHERE p.path = f.path AND p.line = t.line
     ORDER BY source_path DESC, source_line DESC LIMIT 1),
    t.turn = '' AND t.role = 'user')
FROM turns t LEFT JOIN files f ON f.id = t.file LEFT JOIN windows w ON w.id = t.window
  LEFT JOIN windows home ON home.id = f.window LEFT JOIN vectors v ON v.id = t.vector
"""
_THESE = f"{_ROWS} WHERE t.id IN (SELECT value FROM json_each(?))"
_AFTER = f"{_ROWS} WHERE t.id > ? ORDER BY t.id LIMIT ?"
_VECTORS_AFTER = "SELECT id, embedding, sum FROM vectors WHERE id > ? ORDER BY id LIMIT ?"


_UNSEALED_BY_ID = {("words_data", "id, block"): 256, ("words_docsize", "id, sz, origin"): 16_384}
"""Table and its columns -> rows read at once, some 2 MB of text."""
_UNSEALED = {
    ("words_idx", "segid, term, pgno"): "segid, term",
    ("pins", "path, line, pinned, at, source_path, source_line"): "source_path, source_line",
    ("tombstones", "event, path, is_quote, source_path, source_line"): "source_path, source_line",
}
"""Table and its columns -> order of its rows."""
_LEAST_ID = -(2**63)


class AlteredIndexError(Exception):
    """The index does not hold the content put in; the text names the difference."""


def row_seal(
    path: str | None, line: int, event: str, turn: str, role: str, author: str, at_ms: int, content: str, hash_: bytes
) -> bytes:
    """The seal of a row, of its columns as stored."""
    text = "\0".join((str(path), str(line), event, turn, role, author, str(at_ms), content))
    return blake2b(text.encode() + hash_, digest_size=8).digest()


def vector_sum(embedding: bytes | memoryview) -> int:
    """The sum of a vector's bytes."""
    return zlib.crc32(embedding)


def rest_sum(connection: apsw.Connection) -> str:
    """The sum of all unsealed content: the keyword index, the pins, and the tombstones."""
    total = blake2b(digest_size=16)
    for text in _unsealed_texts(connection):
        total.update(text.encode() + b"\n")
    return total.hexdigest()


def _unsealed_texts(connection: apsw.Connection) -> Iterator[str]:
    """Unsealed content; as text, since at a start other threads come between any two rows of an answer."""
    for (table, columns), piece in _UNSEALED_BY_ID.items():
        rows = f"SELECT id, {_quote_all(columns)} AS record FROM {table} WHERE id > ? ORDER BY id LIMIT ?"
        last = _LEAST_ID
        while True:
            ((last, text),) = connection.execute(f"SELECT max(id), group_concat(record) FROM ({rows})", (last, piece))
            if last is None:
                break
            yield str(text)
    for (table, columns), order in _UNSEALED.items():
        # The limit keeps SQLite from leaving out the order.
        rows = f"SELECT {_quote_all(columns)} AS record FROM {table} ORDER BY {order} LIMIT -1"
        ((text,),) = connection.execute(f"SELECT group_concat(record) FROM ({rows})")
        yield str(text or "")


def _quote_all(columns: str) -> str:
    return " || ',' || ".join(f"quote({column})" for column in columns.split(", "))


def check_rows(connection: apsw.Connection, rows: Iterable[int]) -> None:
    """Return if the given rows are as stored.

    Raises:
        AlteredIndexError: a row was altered.
    """
    for record in connection.execute(_THESE, (json.dumps(list(rows)),)):
        _check(record)


def check_rows_after(connection: apsw.Connection, row: int, count: int) -> int:
    """Check the next `count` rows; the last one's number, 0 when there are no more. Raises as `check_rows`."""
    last = 0
    for record in connection.execute(_AFTER, (row, count)):
        _check(record)
        last = int(str(record[0]))
    return last


def check_vectors_after(connection: apsw.Connection, vector: int, count: int) -> int:
    """As `check_rows_after`, for vectors."""
    last = 0
    for number, embedding, total in connection.execute(_VECTORS_AFTER, (vector, count)):
        last = int(str(number))
        if not isinstance(embedding, bytes) or vector_sum(embedding) != total:
            raise AlteredIndexError(f"vector {last} is not what was stored")
    return last


def _check(record: tuple[apsw.SQLiteValue, ...]) -> None:
    row, path, *sealed, seal, said_in, home, has_own_vector, is_pinned = record
    try:
        is_sealed = seal == row_seal(path, *sealed)  # type: ignore[arg-type]  # what is of another type is nonsense
    except (TypeError, ValueError, AttributeError) as error:
        raise AlteredIndexError(f"row {row} is nonsense: {error}") from error
    if not is_sealed or not said_in == home == key_of_log(str(path)):
        raise AlteredIndexError(f"row {row} is not what was stored")
    if not has_own_vector or not is_pinned:
        raise AlteredIndexError(f"row {row} has a wrong vector or a wrong pin")


def key_of_log(path: str) -> str:
    """Key of the window whose log lies at `path`, by its folders alone."""
    return "/".join(path.split("/")[1:3])
