"""Puts turns into the index and takes them out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from actors.memory.session import Session, milliseconds
from actors.memory.sittings import Place, Sittings
from domain.hybrid_text import keyword_text
from domain.remembered import PinChange, Remembered
from messages.base import Window

_INSERT = (
    "INSERT INTO turns(id, file, line, window, event, turn, timestamp, role, author, content, pinned, hash, sitting, "
    "status) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
    "iif(EXISTS(SELECT 1 FROM vectors WHERE space = ?14 AND hash = ?12), 'ok', 'pending'))"
)
_PIN_STATE = "SELECT pinned FROM pins WHERE path = ? AND line = ? ORDER BY at DESC, source_line DESC LIMIT 1"


class Turns:
    """The rows; each with its words in the keyword index and its place in a sitting. All inside a transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sittings = Sittings(session)

    def add(self, window: Window, entries: Iterable[Remembered | PinChange]) -> tuple[list[int], list[int]]:
        """Store what was said; numbers of the rows that are new, and of those that are gone.

        What is stored already changes nothing; a row whose words have changed becomes a new one.
        """
        entries = tuple(entries)
        said = [entry for entry in entries if isinstance(entry, Remembered)]
        number = self._session.window(window)
        self._hear(number, said)
        fresh, gone = self._fresh(said)
        for row in gone:
            self.drop(row)
        for change in entries:
            if isinstance(change, PinChange):
                self._note(change)
        added = self._insert(number, fresh)
        for change in entries:
            if isinstance(change, PinChange):
                gone.extend(self._follow(change))
        dropped = frozenset(gone)
        return [row for row in added if row not in dropped], gone

    def drop(self, row: int) -> None:
        """Take a row out; its vector stays for a text that comes back."""
        self._sittings.leave(row)
        self._session.rows("DELETE FROM words WHERE rowid = ?", row)
        self._session.rows("DELETE FROM turns WHERE id = ?", row)

    def between(self, path: str, first_line: int, last_line: int) -> dict[int, tuple[int, str, bytes]]:
        """Line -> (row, event id, hash) of the turns of a log between two lines, both included."""
        found = self._session.rows(
            "SELECT line, turns.id, event, hash FROM turns JOIN files ON files.id = turns.file "
            "WHERE files.path = ? AND line BETWEEN ? AND ?",
            *(path, first_line, last_line),
        )
        return {line: (row, event, hash_) for line, row, event, hash_ in found}

    def _hear(self, window: int, said: Sequence[Remembered]) -> None:
        """Note who could read the window at the latest of these moments; an older word than the known one is none."""
        told = [entry for entry in said if entry.audience is not None]
        if told:
            latest = max(told, key=lambda entry: (entry.at, entry.line))
            self._session.rows(
                "UPDATE windows SET audience = ?2, heard_at = ?3 WHERE id = ?1 AND heard_at <= ?3",
                *(window, latest.audience, milliseconds(latest.at)),
            )

    def _fresh(self, said: Sequence[Remembered]) -> tuple[list[Remembered], list[int]]:
        """Those of `said` that are not stored as they are, and the rows that stand where they belong."""
        fresh: list[Remembered] = []
        stale: list[int] = []
        for path in dict.fromkeys(entry.path for entry in said):
            of_path = {entry.line: entry for entry in said if entry.path == path}
            there = self.between(path, min(of_path), max(of_path))
            for line, entry in of_path.items():
                if line not in there:
                    fresh.append(entry)
                elif there[line][1:] != (entry.event_id, entry.hash):
                    fresh.append(entry)
                    stale.append(there[line][0])
        return fresh, stale

    def _insert(self, window: int, fresh: Sequence[Remembered]) -> list[int]:
        pinned = self._pin_states(fresh)
        wanted = [entry for entry in fresh if pinned[entry.path, entry.line] or not entry.is_own_pin]
        wanted.sort(key=lambda entry: entry.at)
        if not wanted:
            return []
        next_row = int(self._session.one("SELECT seq FROM sqlite_sequence WHERE name = 'turns'") or 0) + 1
        last = self._sittings.last(window)
        is_behind = last is None or last.at <= milliseconds(wanted[0].at)
        turns, words = [], []
        for row, entry in enumerate(wanted, next_row):
            at = milliseconds(entry.at)
            last = self._sittings.following(last, row, at) if is_behind else Place(row, at, row)
            turns.append(self._values(row, window, entry, pinned[entry.path, entry.line], last.sitting))
            words.append((row, storable(keyword_text(entry.author, entry.at, entry.text))))
        self._session.connection.executemany(_INSERT, turns)
        self._session.connection.executemany("INSERT INTO words(rowid, content) VALUES (?, ?)", words)
        if not is_behind:
            for row, entry in enumerate(wanted, next_row):
                self._sittings.join(row, window, milliseconds(entry.at))
        return list(range(next_row, next_row + len(wanted)))

    def _values(self, row: int, window: int, entry: Remembered, is_pinned: bool, sitting: int) -> tuple[object, ...]:
        return (
            row,
            self._session.file(entry.path, window),
            entry.line,
            window,
            entry.event_id,
            entry.turn_id,
            milliseconds(entry.at),
            entry.role,
            storable(entry.author),
            storable(entry.text),
            is_pinned,
            entry.hash,
            sitting,
            self._session.space,
        )

    def _pin_states(self, fresh: Sequence[Remembered]) -> dict[tuple[str, int], bool]:
        """Whether each is pinned: what the latest pin event about it says, else what it says itself."""
        states = {(entry.path, entry.line): entry.is_pinned for entry in fresh}
        for path in dict.fromkeys(entry.path for entry in fresh):
            found = self._session.rows("SELECT line, pinned FROM pins WHERE path = ? ORDER BY at, source_line", path)
            states |= {(path, line): bool(pinned) for line, pinned in found if (path, line) in states}
        return states

    def _note(self, change: PinChange) -> None:
        self._session.rows(
            "INSERT OR REPLACE INTO pins VALUES (?, ?, ?, ?, ?, ?)",
            *(change.path, change.line, change.is_pinned, milliseconds(change.at)),
            *(change.source_path, change.source_line),
        )

    def _follow(self, change: PinChange) -> list[int]:
        """Let the row that a pin event is about be what the latest one says; the row if that means it is gone."""
        pinned = self._session.one(_PIN_STATE, change.path, change.line)
        target = self._session.rows(
            "SELECT turns.id, turn = '' AND role = 'user' FROM turns JOIN files ON files.id = turns.file "
            "WHERE files.path = ? AND line = ?",
            *(change.path, change.line),
        )
        if not target:
            return []
        row, is_own_pin = target[0]
        if is_own_pin and not pinned:
            self.drop(row)
            return [row]
        self._session.rows("UPDATE turns SET pinned = ? WHERE id = ?", pinned, row)
        return []


def storable(text: str) -> str:
    """`text` as SQLite can hold it: halves of surrogate pairs that stand alone have no form in UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
