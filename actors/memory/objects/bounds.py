"""Bounds of the store: texts of versions that were replaced go first, and what is newest of a file never goes."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from actors.memory.objects import texts

MIB = 1024 * 1024
_STEP = 64
"""Texts that one round throws away at most; the next ones go on."""

_OUTLIVED = """
SELECT versions.text, min(next.valid_from) AS replaced FROM versions
JOIN versions AS next
  ON next.window = versions.window AND next.object = versions.object AND next.no = versions.no + 1
WHERE versions.text IS NOT NULL AND next.valid_from < :before AND (:window = 0 OR versions.window = :window)
  AND NOT EXISTS (
    SELECT 1 FROM versions AS user WHERE user.text = versions.text AND NOT EXISTS (
      SELECT 1 FROM versions AS later
      WHERE later.window = user.window AND later.object = user.object AND later.no = user.no + 1
        AND later.valid_from < :before))
GROUP BY versions.text ORDER BY replaced LIMIT :most
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLimits:
    """Limits of what is kept, in bytes as they are stored."""

    version_bytes: int = 256 * 1024
    """Of one text in UTF-8, before it is compressed."""
    window_bytes: int = 64 * MIB
    total_bytes: int = 512 * MIB


def enforce(connection: apsw.Connection, window: int, limits: StoreLimits) -> None:
    """Throw texts of replaced versions away, the oldest first, until both bounds hold or nothing is left to go.

    Args:
        connection: In a transaction.
        window: Whose round it is.
        limits: The bounds.
    """
    for scope, most in ((window, limits.window_bytes), (0, limits.total_bytes)):
        over = kept_bytes(connection, scope) - most
        for text in replaced(connection, scope, most=_STEP) if over > 0 else ():
            over -= throw_away(connection, text)
            if over <= 0:
                break


def has_room(connection: apsw.Connection, window: int, limits: StoreLimits) -> bool:
    """Whether another text may be kept of a window."""
    return kept_bytes(connection, window) < limits.window_bytes and kept_bytes(connection, 0) < limits.total_bytes


def kept_bytes(connection: apsw.Connection, window: int) -> int:
    """How much is kept of a window's texts; 0 for those of all."""
    if not window:
        ((size,),) = connection.execute("SELECT bytes FROM total")
    else:
        ((size,),) = connection.execute("SELECT bytes FROM windows WHERE id = ?", (window,))
    return int(size)


def replaced(connection: apsw.Connection, window: int, *, before: int = 2**62, most: int) -> list[int]:
    """Texts that no newest version has, those that were replaced first first.

    Args:
        connection: Of the store.
        window: Whose; 0 for all.
        before: Only those that were replaced before this time, in microseconds.
        most: How many.
    """
    found = connection.execute(_OUTLIVED, {"before": before, "window": window, "most": most})
    return [text for text, _ in found]


def throw_away(connection: apsw.Connection, text: int) -> int:
    """Forget a text; the rows of its versions stay. How many bytes less are kept."""
    list(connection.execute("UPDATE versions SET text = NULL WHERE text = ?", (text,)))
    return texts.forget(connection, text)
