"""Bounds of the store: texts of replaced versions go first, and a file's newest text never goes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from actors.memory.derived.database import Connection
from actors.objects.store import texts

MIB = 1024 * 1024
_SLACK = 64
"""Inverse of the part of a bound freed after a breach, so not every round has to free space."""
_WORK = 2 * MIB
"""Bytes of texts removed by a round, so other windows need not wait for long; the next rounds go on. Beyond a bound by
more than an eighth, a round removes texts without this limit."""
_BATCH = 1_024
"""Texts examined at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLimits:
    """Limits of the stored data, in bytes as stored."""

    version_bytes: int = 256 * 1024
    """Size of a text in UTF-8, before compression."""
    window_bytes: int = 64 * MIB
    total_bytes: int = 512 * MIB


def enforce(connection: Connection, window: int, limits: StoreLimits, fresh: Sequence[int]) -> None:
    """Remove texts until both bounds hold.

    Texts of replaced versions go, the oldest first. If only the newest texts of files are left, the latest arrivals
    find no room.

    Args:
        connection: In a transaction.
        window: Owner of the round.
        limits: The bounds.
        fresh: Texts that came with the round, in order.
    """
    for scope, most in ((window, limits.window_bytes), (0, limits.total_bytes)):
        if kept_bytes(connection, scope) <= most:
            continue
        aim, work = most - most // _SLACK, 0
        while (over := kept_bytes(connection, scope) - aim) > 0 and (work < _WORK or over > most // 8):
            chosen = _oldest(connection, scope, over)
            if not chosen:
                _take_back(connection, scope, most, fresh)
                break
            texts.forget(connection, chosen)
            work += sum(chosen.values())


def _take_back(connection: Connection, scope: int, most: int, fresh: Sequence[int]) -> None:
    """Remove the last of a round's own texts, until the stored data is within a bound."""
    for text in reversed(fresh):
        if kept_bytes(connection, scope) <= most:
            break
        texts.forget(connection, {text})


def kept_bytes(connection: Connection, window: int) -> int:
    """Bytes kept of a window's texts; of all windows for 0."""
    if not window:
        ((size,),) = connection.execute("SELECT bytes FROM total")
    else:
        ((size,),) = connection.execute("SELECT bytes FROM windows WHERE id = ?", (window,))
    return int(size)


def list_outlived(connection: Connection, before: int, most: int) -> Collection[int]:
    """Texts that no newest version has since before a time.

    Args:
        connection: Of the store.
        before: In microseconds.
        most: Largest number.
    """
    return {text for text, _, _ in _list_outlived(connection, 0, before, most)}


def _oldest(connection: Connection, window: int, size: int) -> dict[int, int]:
    """Texts replaced first, up to so many bytes, with their length when read; of all windows for 0."""
    chosen: dict[int, int] = {}
    for text, length, plain in _list_outlived(connection, window, 2**62, _BATCH):
        if size <= 0 or sum(chosen.values()) >= _WORK:
            break
        chosen[text] = plain
        size -= length
    return chosen


def _list_outlived(connection: Connection, window: int, before: int, most: int) -> list[tuple[int, int, int]]:
    condition = "AND window = :window " if window else ""
    return list(
        connection.execute(
            f"SELECT id, length(data), size FROM texts WHERE newest = 0 {condition}AND replaced < :before "
            "ORDER BY replaced, id LIMIT :most",
            {"window": window, "before": before, "most": most},
        )
    )
