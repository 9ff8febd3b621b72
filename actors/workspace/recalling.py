"""Recall from a window's files: the entries relevant to a message; no file is read or indexed twice."""

from __future__ import annotations

from datetime import date

from actors.workspace.channel import HISTORY, MEMORY, SESSION, TEMPLATES, Channel
from domain.workspace.recall.entries import Entry, Source, entries
from domain.workspace.recall.search import RecallIndex, recall_entries

SHARED = "workspace/MEMORY.md"
_OWN = ((SESSION, Source.SESSION), (MEMORY, Source.MEMORY), (HISTORY, Source.HISTORY))


class Recall:
    """Index of a window's files and of the shared file."""

    def __init__(self, channel: Channel, *, has_own: bool) -> None:
        """Begin without an index.

        Args:
            channel: Reads the files.
            has_own: True if the window has files of its own.
        """
        self._channel = channel
        self._own = _OWN if has_own else ()
        self._parsed: dict[str, tuple[bytes, tuple[Entry, ...]]] = {}
        self._index: RecallIndex | None = None
        self._previous = ""

    def find(
        self, question: str, today: date, budget_chars: int, favoured: frozenset[str] = frozenset()
    ) -> tuple[Entry, ...]:
        """Entries that match a message, the best first; empty without a match."""
        return recall_entries(
            question,
            self._fresh(),
            today=today,
            budget_chars=budget_chars,
            favoured=favoured,
            previous=self._previous,
        )

    def note(self, question: str) -> None:
        """Keep the last question, for a message that goes on from there."""
        self._previous = question

    def _fresh(self) -> RecallIndex:
        """Index of the files' present content."""
        is_changed = self._index is None
        for name, source in self._own:
            is_changed |= self._read(name, self._channel.read(name), source)
        is_changed |= self._read(SHARED, self._channel.read_shared(MEMORY), Source.SHARED)
        if is_changed or self._index is None:
            entries = (entry for _, parsed in self._parsed.values() for entry in parsed)
            self._index = RecallIndex(entries, self._index)
        return self._index

    def _read(self, name: str, data: bytes, source: Source) -> bool:
        """Parse a file if changed; True if changed."""
        known = self._parsed.get(name)
        if known is not None and known[0] is data:
            return False
        is_blank = data == TEMPLATES.get(name)  # as most windows' files are for long; those have no entries
        self._parsed[name] = data, () if is_blank else entries(data.decode("utf-8", "replace"), source, name)
        return True
