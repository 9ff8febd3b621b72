"""Rows of turns: put into the index and taken out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from actors.memory.index.episodes import Episodes
from actors.memory.index.seal import row_seal
from actors.memory.index.session import IndexSession, milliseconds
from domain.memory.hybrid_text import keyword_text
from domain.memory.remembered import Entry, PinChange, Remembered, TakenBack
from messages.base import Window

_INSERT = (
    "INSERT INTO turns(id, timestamp, sitting, pinned, file, line, window, event, turn, role, author, content, hash, "
    "vector, seal, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
    "iif(?14 IS NULL, 'pending', 'ok'))"
)
_FIELDS = attrgetter("path", "line", "event_id", "turn_id", "role", "author", "text")
_MOMENT = attrgetter("at")
_OF_EVENT = (
    "SELECT turns.id FROM turns JOIN files ON files.id = turns.file WHERE files.path = ?1 AND (event = ?2 OR turn = ?2)"
)
_TAKEN_BACK = "SELECT event FROM tombstones WHERE NOT is_quote AND event IN (SELECT value FROM json_each(?))"
_PIN_STATE = "SELECT pinned FROM pins WHERE path = ? AND line = ? ORDER BY source_path DESC, source_line DESC LIMIT 1"
"""The last pin event in the window's logs counts: a clock may have been set back between two events."""
_PINS_OF_LOG = "SELECT line, pinned FROM pins WHERE path = ? ORDER BY source_path, source_line"

_FOLLOW_PINS = """
UPDATE turns SET pinned = coalesce(
  (SELECT pinned FROM pins WHERE path = ?1 AND pins.line = ?2 ORDER BY source_path DESC, source_line DESC LIMIT 1),
  turn = '' AND role = 'user')
WHERE line = ?2 AND file = (SELECT id FROM files WHERE path = ?1)
"""


class Turns:
    """The rows; each with its words in the keyword index and its place in an episode. All inside a transaction."""

    def __init__(self, session: IndexSession) -> None:
        self._session = session
        self._episodes = Episodes(session)

    def add(self, window: Window, entries: Iterable[Entry]) -> tuple[list[int], list[int]]:
        """Store entries; numbers of the new rows, and of the rows removed.

        Entries already stored have no effect; a row with changed words becomes a new row.
        """
        turns: list[Remembered] = []
        changes: list[PinChange] = []
        taken_back: list[TakenBack] = []
        for entry in entries:
            match entry:
                case Remembered():
                    turns.append(entry)
                case PinChange():
                    changes.append(entry)
                case TakenBack():
                    taken_back.append(entry)
        number = self._session.window(window)
        gone = self._take_back(taken_back)
        fresh, stale = self._fresh(self._standing(turns))
        gone.extend(stale)
        for row in stale:
            self.drop(row)
        for change in changes:
            self._note(change)
        added = self._insert(number, fresh)
        for change in changes:
            gone.extend(self._follow(change))
        dropped = frozenset(gone)
        return [row for row in added if row not in dropped], gone

    def drop(self, row: int) -> None:
        """Take a row out; its vector stays for a text that comes back."""
        self._episodes.leave(row)
        self._session.rows("DELETE FROM words WHERE rowid = ?", row)
        self._session.rows("DELETE FROM turns WHERE id = ?", row)

    def drop_sources(self, path: str, lines: Iterable[int]) -> None:
        """Drop the effects of pins and tombstones on the given lines of a log; pinned rows follow."""
        for line in lines:
            place = path, line
            targets = self._session.rows(
                "SELECT path, line FROM pins WHERE source_path = ? AND source_line = ?", *place
            )
            for table in ("pins", "tombstones"):
                self._session.rows(f"DELETE FROM {table} WHERE source_path = ? AND source_line = ?", *place)
            for target in targets:
                self._session.rows(_FOLLOW_PINS, *target)

    def between(self, path: str, first_line: int, last_line: int) -> dict[int, tuple[int, str, bytes]]:
        """Line -> (row, event id, hash) of the turns of a log between two lines, both included."""
        rows = self._session.rows(
            "SELECT line, turns.id, event, hash FROM turns JOIN files ON files.id = turns.file "
            "WHERE files.path = ? AND line BETWEEN ? AND ?",
            *(path, first_line, last_line),
        )
        return {line: (row, event, hash_) for line, row, event, hash_ in rows}

    def _take_back(self, taken_back: Iterable[TakenBack]) -> list[int]:
        """Drop withdrawn turns, with all derived rows; the rows gone."""
        gone: list[int] = []
        for each in taken_back:
            tombstone = each.tombstone
            self._session.rows(
                "INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?, ?, ?)",
                *(tombstone.event_id, tombstone.path, tombstone.is_quote, each.source_path, each.source_line),
            )
            if not tombstone.is_quote:
                gone.extend(row for (row,) in self._session.rows(_OF_EVENT, tombstone.path, tombstone.event_id))
        for row in gone:
            self.drop(row)
        return gone

    def _standing(self, turns: Sequence[Remembered]) -> Sequence[Remembered]:
        """Members of `turns` that were not withdrawn before reaching the index."""
        if not turns or not self._session.one("SELECT 1 FROM tombstones LIMIT 1"):
            return turns
        names = json.dumps([*{name for entry in turns for name in (entry.event_id, entry.turn_id)}])
        gone = {event for (event,) in self._session.rows(_TAKEN_BACK, names)}
        return [entry for entry in turns if entry.event_id not in gone and entry.turn_id not in gone]

    def _fresh(self, turns: Sequence[Remembered]) -> tuple[list[Remembered], list[int]]:
        """New or changed entries of `turns`, and the rows in the places of the changed entries."""
        fresh: list[Remembered] = []
        stale: list[int] = []
        for path in dict.fromkeys([entry.path for entry in turns]):
            of_path = {entry.line: entry for entry in turns if entry.path == path}
            there = self.between(path, min(of_path), max(of_path))
            if not there:
                fresh.extend(of_path.values())
                continue
            for line, entry in of_path.items():
                if line not in there:
                    fresh.append(entry)
                elif there[line][1:] != (entry.event_id, entry.hash):
                    fresh.append(entry)
                    stale.append(there[line][0])
        return fresh, stale

    def _insert(self, window: int, fresh: Sequence[Remembered]) -> list[int]:
        pinned = self._pin_states(fresh)
        entries = [entry for entry in fresh if not entry.is_own_pin or _is_pinned(entry, pinned)]
        entries.sort(key=_MOMENT)
        if not entries:
            return []
        first_row = int(self._session.one("SELECT seq FROM sqlite_sequence WHERE name = 'turns'") or 0) + 1
        rows = range(first_row, first_row + len(entries))
        moments = [milliseconds(entry.at) for entry in entries]
        last = self._episodes.last(window)
        is_behind = last is None or last.at <= moments[0]
        if is_behind:
            episodes = self._episodes.following(last, first_row, moments)
        else:
            episodes = self._episodes.insert(window, first_row, moments)
        states = [_is_pinned(entry, pinned) for entry in entries] if pinned else [entry.is_pinned for entry in entries]
        self._insert_rows(window, entries, zip(rows, moments, episodes, states, strict=True))
        words = storable([keyword_text(entry.author, entry.at, entry.text) for entry in entries])
        self._session.many("INSERT INTO words(rowid, content) VALUES (?, ?)", zip(rows, words, strict=True))
        return list(rows)

    def _insert_rows(
        self, window: int, turns: Sequence[Remembered], places: Iterable[tuple[int, int, int, bool]]
    ) -> None:
        """Store turns of a window, each with its number, time, episode and a flag for pinned."""
        paths, lines, events, ids, roles, authors, texts = zip(*map(_FIELDS, turns), strict=True)
        files = {path: self._session.file(path, window) for path in dict.fromkeys(paths)}
        hashes = [entry.hash for entry in turns]
        vectors = self._session.vectors(hashes)
        stored_authors, stored_texts = storable(authors), storable(texts)
        numbers, moments, episodes, states = zip(*places, strict=True)
        seals = map(row_seal, paths, lines, events, ids, roles, stored_authors, moments, stored_texts, hashes)
        columns = (
            *(numbers, moments, episodes, states),
            *(map(files.__getitem__, paths), lines, [window] * len(turns), events, ids),
            *(roles, stored_authors, stored_texts, hashes, map(vectors.get, hashes), seals),
        )
        self._session.many(_INSERT, zip(*columns, strict=True))

    def _pin_states(self, fresh: Sequence[Remembered]) -> dict[tuple[str, int], bool]:
        """(path, line) -> True if pinned, by the latest pin event for each."""
        states: dict[tuple[str, int], bool] = {}
        for path in dict.fromkeys([entry.path for entry in fresh]):
            pins = self._session.rows(_PINS_OF_LOG, path)
            states |= {(path, line): bool(pinned) for line, pinned in pins}
        return states

    def _note(self, change: PinChange) -> None:
        self._session.rows(
            "INSERT OR REPLACE INTO pins VALUES (?, ?, ?, ?, ?, ?)",
            *(change.path, change.line, change.is_pinned, milliseconds(change.at)),
            *(change.source_path, change.source_line),
        )

    def _follow(self, change: PinChange) -> list[int]:
        """Make the row of a pin event agree with the latest event; gives the row if removed."""
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


def _is_pinned(entry: Remembered, pinned: Mapping[tuple[str, int], bool]) -> bool:
    """True if pinned by the latest pin event for the entry, else by the entry itself."""
    return pinned.get((entry.path, entry.line), entry.is_pinned) if pinned else entry.is_pinned


def storable(texts: Iterable[str]) -> list[str]:
    """Texts in SQLite's form: lone halves of surrogate pairs have no form in UTF-8."""
    return [text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8") for text in texts]
