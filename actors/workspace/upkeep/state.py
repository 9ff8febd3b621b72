"""State of a window's workspace that outlives a life: people's words that were cut off, turns in no file yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from actors.workspace.bookkeeping import STATE, Bookkeeping
from domain.policy.pacing import Pacing
from domain.workspace.said_words import SaidWords, fit_words
from messages.turn import SpokenTurn

WRITTEN = "written.json"
"""File with the ids of turns that are in MEMORY.md and HISTORY.md."""
MOST_OWED = 50
MOST_APART = 8
MOST_DIRTY = 50
MOST_WRITTEN = 1_000
"""Most turns; older turns are not asked about again."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns of one log, the first and the last."""

    log: str
    first: str
    last: str
    is_apart: bool = False
    """True for a part of one that could not be written: no other is joined to it."""


class WorkspaceState:
    """Kept state of a workspace; a damaged part of the files counts as missing."""

    def __init__(self, books: Bookkeeping) -> None:
        self.books = books
        document, written = books.document(STATE), books.document(WRITTEN)
        self.is_fresh = not document
        """True if no state was kept before."""
        self.said = [words for each in _objects(document, "said") if (words := _read_words(each)) is not None]
        self.owed = [stretch for each in _objects(document, "owed") if (stretch := _stretch(each)) is not None]
        self.dirty = list(_texts(document.get("dirty")))
        """Turns that SESSION.md has not been told of, the first and the newest."""
        self.log = "".join(_texts([document.get("log")]))
        """Log of these turns."""
        pace = document.get("pace")
        self.pacing = Pacing(pace if isinstance(pace, dict) else None)
        """Health of the workers, and their balance."""
        self._written = dict.fromkeys(_texts(written.get("turns")))

    def keep(self) -> None:
        """Write the state down."""
        self.books.put_document(
            STATE,
            {
                "said": [asdict(words) for words in self.said],
                "owed": [asdict(stretch) for stretch in self.owed],
                "dirty": self.dirty,
                "log": self.log,
                "pace": self.pacing.snapshot(),
            },
            is_durable=True,
        )

    # people's words of turns that were cut off

    def add_said(self, words: Iterable[SaidWords]) -> None:
        """Keep words in mind, in the order in which they were said; of too many those in the middle go."""
        known = {(each.turn_id, each.text): each for each in (*self.said, *words)}
        self.said = list(fit_words(known.values()))

    def replace_turn(self, turn_id: str, words: Sequence[SaidWords]) -> None:
        """Put what is left of a turn in the place of its words: some were retracted."""
        place = next((at for at, each in enumerate(self.said) if each.turn_id == turn_id), len(self.said))
        others = [each for each in self.said if each.turn_id != turn_id]
        self.said = [*others[:place], *words, *others[place:]]

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

    def told_of(self, turns: Collection[str]) -> None:
        """SESSION.md has been told of some turns, so of those before them too."""
        places = [place for place, turn_id in enumerate(self.dirty) if turn_id in turns]
        if places:
            self.dirty = self.dirty[places[-1] + 1 :]
            self.keep()

    # what is in no file yet

    def owe(self, stretch: Stretch) -> None:
        """Keep in mind that a stretch is in no file yet, as one with the earlier ones of its log.

        What lies between them is in the files already. Of too many the oldest are given up.
        """
        known = [each for each in self.owed if each.log == stretch.log and not each.is_apart]
        others = [each for each in self.owed if each not in known]
        first = known[0].first if known else stretch.first
        self.owed = [*others, Stretch(stretch.log, first, stretch.last)][-MOST_OWED:]

    def pay(self, stretch: Stretch, rest: Sequence[str] = ()) -> None:
        """Note that a stretch is in the files, but for the turns `rest` at its end."""
        if stretch in self.owed:
            left = [replace(stretch, first=rest[0])] if rest else []
            self.owed = [*left, *(each for each in self.owed if each != stretch)]
            self.keep()

    def put_off(self, stretch: Stretch) -> None:
        """Move a stretch behind the others: it could not be written now."""
        self.owed.sort(key=lambda each: each == stretch)
        self.keep()

    def take_apart(self, stretch: Stretch, turns: Sequence[str], rest: Sequence[str] = ()) -> None:
        """Put `turns`, which could not be written together, behind the others as two halves: one may be writable.

        Where nothing at all can be written, the number of parts has a bound.
        """
        if sum(each.is_apart for each in self.owed) >= MOST_APART:
            self.put_off(stretch)
            return
        self.pay(stretch, rest)
        at = (len(turns) + 1) // 2
        halves = [Stretch(stretch.log, half[0], half[-1], is_apart=True) for half in (turns[:at], turns[at:]) if half]
        self.owed = [*self.owed, *halves][-MOST_OWED:]
        self.keep()

    def add_written(self, turns: Iterable[str]) -> None:
        """Turns are in MEMORY.md and HISTORY.md."""
        self._written |= dict.fromkeys(turns)
        self._written = dict.fromkeys([*self._written][-MOST_WRITTEN:])
        self.books.put_document(WRITTEN, {"turns": [*self._written]}, is_durable=True)

    def unwritten(self, spoken: Sequence[SpokenTurn]) -> tuple[SpokenTurn, ...]:
        """Turns that are not in the files."""
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


def _read_words(raw: Mapping[str, Any]) -> SaidWords | None:
    texts = [raw.get(name) for name in ("turn_id", "path", "author", "text")]
    line = raw.get("line")
    if not all(isinstance(text, str) for text in texts) or type(line) is not int:
        return None
    turn_id, path, author, text = map(str, texts)
    return SaidWords(turn_id, path, line, author, text)
