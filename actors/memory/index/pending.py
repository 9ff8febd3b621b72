"""Queue of turns waiting for a vector, the due times, and the arriving vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from actors.memory.index.seal import vector_sum
from actors.memory.index.session import IndexSession, milliseconds, moment
from domain.memory.hybrid_text import embedded_text
from domain.memory.remembered import EMBEDDED_CHARS

FIRST_RETRY_MS = 1_000
LAST_RETRY_MS = 300_000
MOST_ATTEMPTS = 8
"""Attempts at a turn's embedding before the turn waits for the next comparison with the logs."""
BEHIND_MS = 1
"""In place of a time: due after turns said from now on."""
NEVER_MS = 2**62
SET_ASIDE_MS = NEVER_MS + 1
"""In place of a time: no vector can be made for the text, so the next try is at a start only."""
_OF_HASH = "SELECT id FROM vectors WHERE space = ?1 AND vectors.hash = turns.hash"
_KEEP = (
    "INSERT INTO vectors(id, space, hash, sum, embedding) VALUES (?, ?, ?, ?, ?) ON CONFLICT(space, hash) DO NOTHING"
)
_IS_KEPT = "UPDATE turns SET vector = ?, status = 'ok', attempts = 0, next_attempt_at = 0 WHERE id = ?"
_HASHES = "SELECT id, hash FROM turns WHERE id IN (SELECT value FROM json_each(?))"


class Waiting(NamedTuple):
    """A turn without a vector so far."""

    id: int
    text: str
    """To embed."""
    hash: bytes


class Pending:
    """The turns without a vector. All inside the caller's thread, each change a transaction."""

    def __init__(self, session: IndexSession) -> None:
        self._session = session

    def due(self, now: datetime, limit: int) -> list[Waiting]:
        """Turns whose embedding is due, longest due first."""
        rows = self._session.rows(
            "SELECT id, author, timestamp, content, hash FROM turns "
            "WHERE status <> 'ok' AND next_attempt_at <= ? ORDER BY next_attempt_at, id LIMIT ?",
            *(milliseconds(now), limit),
        )
        return [
            Waiting(row, embedded_text(author, moment(at), content)[:EMBEDDED_CHARS], hash_)
            for row, author, at, content, hash_ in rows
        ]

    def next_due(self) -> datetime | None:
        """Time of the next due embedding; None if no turn waits for a time."""
        due_ms = self._session.one("SELECT min(next_attempt_at) FROM turns WHERE status <> 'ok'")
        return moment(due_ms) if due_ms is not None and due_ms < NEVER_MS else None

    def store(self, vectors: Iterable[tuple[Waiting, bytes]]) -> list[int]:
        """Keep vectors; numbers of the rows that got a vector. A row dropped or changed meanwhile keeps its state.

        A text with a vector keeps the vector.
        """
        pairs = list(vectors)
        with self._session.changing():
            numbers = self._keep({turn.hash: vector for turn, vector in reversed(pairs)})
            # Asked first, because an UPDATE that returns its rows takes four times as long.
            there = dict(self._session.rows(_HASHES, json.dumps([turn.id for turn, _ in pairs])))
            number_of = {turn.id: numbers[turn.hash] for turn, _ in pairs if there.get(turn.id) == turn.hash}
            self._session.many(_IS_KEPT, [(number, row) for row, number in number_of.items()])
        return list(number_of)

    def _keep(self, vectors: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Store each text's vector unless the text has a vector; the numbers of the texts' vectors."""
        session = self._session
        first = (session.one("SELECT max(id) FROM vectors") or 0) + 1
        numbers = {hash_: number for number, hash_ in enumerate(vectors, first)}
        before = session.connection.total_changes()
        records = ((numbers[hash_], session.space, hash_, vector_sum(each), each) for hash_, each in vectors.items())
        session.many(_KEEP, records)
        if session.connection.total_changes() - before < len(vectors):
            numbers = session.vectors(list(vectors))
        return numbers

    def fail(self, rows: Iterable[int], now: datetime, *, is_permanent: bool) -> None:
        """Note a failed embedding, and the time of the next try: 1 s, doubled each time, at most 300 s, 8 times.

        Args:
            rows: Rows of the turns.
            now: Aware.
            is_permanent: True if only the next comparison with the logs should try again.
        """
        with self._session.changing():
            for row in rows:
                attempts = (self._session.one("SELECT attempts FROM turns WHERE id = ?", row) or 0) + 1
                is_over = is_permanent or attempts >= MOST_ATTEMPTS
                self._session.rows(
                    "UPDATE turns SET status = 'failed', attempts = ?, next_attempt_at = ? "
                    "WHERE id = ? AND vector IS NULL",
                    *(attempts, NEVER_MS if is_over else milliseconds(now) + retry_wait_ms(attempts, row), row),
                )

    def put_off(self, rows: Iterable[int], until: datetime) -> None:
        """Note the time from which a vector may be made for turns."""
        with self._session.changing():
            self._session.many(
                "UPDATE turns SET status = 'pending', next_attempt_at = ? WHERE id = ? AND vector IS NULL",
                [(milliseconds(until), row) for row in rows],
            )

    def put_behind(self, rows: Iterable[int]) -> None:
        """Let turns have their vectors after turns said from now on."""
        with self._session.changing():
            self._session.rows(
                f"UPDATE turns SET next_attempt_at = {BEHIND_MS} "
                "WHERE id IN (SELECT value FROM json_each(?)) AND vector IS NULL AND next_attempt_at = 0",
                json.dumps(list(rows)),
            )

    def set_aside(self, rows: Iterable[int]) -> None:
        """Note turns for which no vector can be made."""
        with self._session.changing():
            self._session.many(
                "UPDATE turns SET status = 'failed', next_attempt_at = ? WHERE id = ? AND vector IS NULL",
                [(SET_ASIDE_MS, row) for row in rows],
            )

    def count(self) -> int:
        """Number of turns without a vector."""
        return int(self._session.one("SELECT count(*) FROM turns WHERE status <> 'ok'"))

    def count_failed(self) -> int:
        """Number of turns whose last attempt failed, including those set aside: all have a time of the next attempt."""
        return int(
            self._session.one(
                "SELECT count(*) FROM turns WHERE status <> 'ok' AND status = 'failed' AND next_attempt_at > ?",
                BEHIND_MS,
            )
        )

    def count_set_aside(self) -> int:
        """Number of turns for which no vector can be made."""
        statement = "SELECT count(*) FROM turns WHERE status <> 'ok' AND next_attempt_at = ?"
        return int(self._session.one(statement, SET_ASIDE_MS))

    def retry_failed(self, *, is_start: bool) -> int:
        """Let every failed embedding be tried again; how many there are.

        Args:
            is_start: True to try turns that are set aside again, too.
        """
        self._session.rows(
            "UPDATE turns SET status = 'pending', attempts = 0, next_attempt_at = 0 "
            "WHERE status = 'failed' AND next_attempt_at < ?",
            SET_ASIDE_MS + is_start,
        )
        return self._session.connection.changes()

    def start_over(self) -> None:
        """Give every turn a vector of the space in use: existing vectors at once; the others are to be made."""
        self._session.rows(
            f"UPDATE turns SET attempts = 0, next_attempt_at = 0, vector = ({_OF_HASH}), "
            f"status = iif(EXISTS({_OF_HASH}), 'ok', 'pending')",
            self._session.space,
        )


def retry_wait_ms(attempts: int, row: int) -> int:
    """Milliseconds to wait after so many failures; up to a quarter longer by the row's share, so that rows spread."""
    wait = min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** min(attempts - 1, 20))
    return int(wait * (1 + row * 0.618 % 1 / 4))
