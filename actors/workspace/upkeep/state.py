"""Persistent state of a window's workspace: people's words before the cut, and turns missing from the files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from actors.workspace.bookkeeping import STATE, Bookkeeping
from domain.policy.pacing import Pacing
from domain.workspace.said_words import SaidWords, fit_words
from messages.turn import SpokenTurn

WRITTEN = "written.json"
"""File with the ids of the turns in MEMORY.md and HISTORY.md."""
MOST_OWED = 50
MOST_APART = 8
MOST_DIRTY = 50
MOST_ENDED = 50
"""Most ended turns to recognise; a window tells again of turns whose texts people may not have seen."""
MOST_RETRACTIONS = 50
"""Most retractions; a window tells again of no more."""
MOST_WRITTEN = 1_000
"""Most turns; older turns are not asked about again."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns of one log, from a first to a last turn."""

    log: str
    first: str
    last: str
    is_apart: bool = False
    """True for a part of an unwritable stretch, never joined to another stretch."""


@dataclass(frozen=True, slots=True)
class Source:
    """Stretch given to a worker, with the marks of the resulting entries and block."""

    log: str
    turns: tuple[str, ...]
    marks: tuple[str, ...]


class WorkspaceState:
    """Kept state of a workspace; a damaged part of the files counts as missing."""

    def __init__(self, books: Bookkeeping) -> None:
        self.books = books
        document, written = books.document(STATE), books.document(WRITTEN)
        self.is_fresh = not document
        """True if no state was kept before."""
        self.words = [words for each in _objects(document, "said") if (words := _read_words(each)) is not None]
        self.owed = [stretch for each in _objects(document, "owed") if (stretch := _stretch(each)) is not None]
        self.dirty = list(_texts(document.get("dirty")))
        """Turns missing from SESSION.md, the first and the newest."""
        self.log = "".join(_texts([document.get("log")]))
        """Log of these turns."""
        self.carried = "".join(_texts([document.get("carried")]))
        """Newest ended log with people's words taken over."""
        self.ended = list(_texts(document.get("ended")))
        """Newest turns whose end was counted."""
        self.retractions = list(_texts(document.get("retractions")))
        """Events of the newest retractions that the words and the handovers follow."""
        pace = document.get("pace")
        self.pacing = Pacing(pace if isinstance(pace, dict) else None)
        """Health of the workers, and their balance."""
        self._written = dict.fromkeys(_texts(written.get("turns")))
        self._sources = [_source(each) for each in _objects(written, "sources")]
        """Stretches given to workers, with the marks of their entries."""

    def keep(self) -> bool:
        """Write the state down; False if a later life would not find the state."""
        is_written = self.books.put_document(
            STATE,
            {
                "said": [asdict(words) for words in self.words],
                "owed": [asdict(stretch) for stretch in self.owed],
                "dirty": self.dirty,
                "log": self.log,
                "carried": self.carried,
                "ended": self.ended,
                "retractions": self.retractions,
                "pace": self.pacing.snapshot(),
            },
            is_durable=True,
        )
        return is_written or not self.books.is_kept

    # people's words of turns that were cut off

    def add_said(self, words: Iterable[SaidWords]) -> None:
        """Remember words in the order of speaking; of too many words the middle is dropped."""
        known = {(each.turn_id, each.text): each for each in (*self.words, *words)}
        self.words = list(fit_words(known.values()))

    def replace_turn(self, turn_id: str, words: Sequence[SaidWords]) -> None:
        """Replace a turn's words by the words left after a retraction."""
        place = next((at for at, each in enumerate(self.words) if each.turn_id == turn_id), len(self.words))
        others = [each for each in self.words if each.turn_id != turn_id]
        self.words = [*others[:place], *words, *others[place:]]

    def note_retraction(self, event_id: str) -> None:
        """Note that words and handovers follow a retraction, of which the window may tell any number of times."""
        self.retractions = [*self.retractions, event_id][-MOST_RETRACTIONS:]

    def note_ended(self, turn_id: str) -> None:
        """Note a turn as counted; `keep` writes the note down."""
        self.ended = [*self.ended, turn_id][-MOST_ENDED:]

    # what SESSION.md has not been told of

    def note_turn(self, turn_id: str, log: str) -> None:
        """A turn has ended."""
        if self.log != log:
            if self.dirty:  # SESSION.md could not be told before the window began anew
                self.owe(Stretch(self.log, self.dirty[0], self.dirty[-1]))
            self.dirty, self.log = [], log
        if turn_id not in self.dirty:
            self.dirty.append(turn_id)
            if len(self.dirty) > MOST_DIRTY:
                del self.dirty[1]

    def note_untold(self, turns: Iterable[str]) -> None:
        """Note turns of the present log that are no longer in SESSION.md."""
        turns = [*turns]
        self.dirty = [*turns[:1], *turns[1:][1 - MOST_DIRTY :]]
        self.keep()

    def told_of(self, turns: Collection[str]) -> None:
        """Note that SESSION.md covers some turns, and therefore all turns before."""
        places = [place for place, turn_id in enumerate(self.dirty) if turn_id in turns]
        if places:
            self.dirty = self.dirty[places[-1] + 1 :]
            self.keep()

    # what is in no file yet

    def owe(self, stretch: Stretch) -> None:
        """Remember a stretch as missing from the files, joined with earlier stretches of the log.

        Turns between the stretches are in the files already. Of too many stretches the oldest are given up.
        """
        known = [each for each in self.owed if each.log == stretch.log and not each.is_apart]
        others = [each for each in self.owed if each not in known]
        first = known[0].first if known else stretch.first
        self.owed = [*others, Stretch(stretch.log, first, stretch.last)][-MOST_OWED:]

    def pay(self, stretch: Stretch, rest: Sequence[str] = ()) -> None:
        """Note a stretch as written, except for the turns `rest` at the end."""
        if stretch in self.owed:
            self.owed = self._owed_without(stretch, rest)
            self.keep()

    def _owed_without(self, stretch: Stretch, rest: Sequence[str]) -> list[Stretch]:
        if stretch not in self.owed:
            return self.owed
        left = [replace(stretch, first=rest[0])] if rest else []
        return [*left, *(each for each in self.owed if each != stretch)]

    def put_off(self, stretch: Stretch) -> None:
        """Move a stretch behind the others, because a write failed now."""
        self.owed.sort(key=lambda each: each == stretch)
        self.keep()

    def take_apart(self, stretch: Stretch, turns: Sequence[str], rest: Sequence[str] = ()) -> None:
        """Put `turns`, which could not be written together, last in two halves, since a half may be writable.

        The number of parts has a bound, in case no part can be written.
        """
        if sum(each.is_apart for each in self.owed) >= MOST_APART:
            self.put_off(stretch)
            return
        at = (len(turns) + 1) // 2
        halves = [Stretch(stretch.log, half[0], half[-1], is_apart=True) for half in (turns[:at], turns[at:]) if half]
        self.owed = [*self._owed_without(stretch, rest), *halves][-MOST_OWED:]
        self.keep()

    def add_written(self, turns: Iterable[str], source: Source | None = None) -> None:
        """Note turns as written to MEMORY.md and HISTORY.md, with the present or future results of a stretch."""
        self._written |= dict.fromkeys(turns)
        self._written = dict.fromkeys([*self._written][-MOST_WRITTEN:])
        if source is not None and source not in self._sources:
            self._sources = [*self._sources, source][-MOST_WRITTEN:]
        self._keep_written()

    def _keep_written(self) -> None:
        sources = [asdict(source) for source in self._sources]
        self.books.put_document(WRITTEN, {"turns": [*self._written], "sources": sources}, is_durable=True)

    # what was forgotten

    def marks_to_forget(self, turns: frozenset[str]) -> Callable[[str], bool] | None:
        """Test for the marks of entries that some turns may have led to; None without such an entry.

        A mark without a known stretch counts: a sweep's words may be of any turn.
        """
        is_full = len(self._written) >= MOST_WRITTEN
        if not is_full and turns.isdisjoint((*self._written, *(turn for each in self._sources for turn in each.turns))):
            return None
        retained = {mark for each in self._sources if turns.isdisjoint(each.turns) for mark in each.marks}
        return lambda mark: mark not in retained

    def forget(self, turns: frozenset[str]) -> None:
        """Forget turns; other turns of the affected stretches must be written again."""
        self.words = [each for each in self.words if each.turn_id not in turns]
        self.dirty = [each for each in self.dirty if each not in turns]
        gone = set(turns)
        for source in [each for each in self._sources if not turns.isdisjoint(each.turns)]:
            gone.update(source.turns)
            if rest := [turn for turn in source.turns if turn not in turns]:
                left = Stretch(source.log, rest[0], rest[-1], is_apart=True)
                self.owed = [*(each for each in self.owed if each != left), left][-MOST_OWED:]
        self.keep()  # first, since the sources tell a repetition what is owed
        self._written = dict.fromkeys(turn for turn in self._written if turn not in gone)
        self._sources = [source for source in self._sources if turns.isdisjoint(source.turns)]
        self._keep_written()

    def unwritten(self, spoken: Sequence[SpokenTurn]) -> tuple[SpokenTurn, ...]:
        """Turns missing from the files."""
        return tuple(turn for turn in spoken if turn.turn_id not in self._written)


def _objects(document: Mapping[str, Any], name: str) -> Iterable[Mapping[str, Any]]:
    listed = document.get(name)
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _texts(listed: object) -> Iterable[str]:
    return [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []


def _stretch(raw: Mapping[str, Any]) -> Stretch | None:
    log, first, last = (raw.get(name) for name in ("log", "first", "last"))
    if isinstance(log, str) and isinstance(first, str) and isinstance(last, str):
        return Stretch(log, first, last, raw.get("is_apart") is True)
    return None


def _source(raw: Mapping[str, Any]) -> Source:
    log = "".join(_texts([raw.get("log")]))
    return Source(log, tuple(_texts(raw.get("turns"))), tuple(_texts(raw.get("marks"))))


def _read_words(raw: Mapping[str, Any]) -> SaidWords | None:
    texts = [raw.get(name) for name in ("turn_id", "path", "author", "text")]
    line = raw.get("line")
    if not all(isinstance(text, str) for text in texts) or type(line) is not int:
        return None
    turn_id, path, author, text = map(str, texts)
    return SaidWords(turn_id, path, line, author, text)
