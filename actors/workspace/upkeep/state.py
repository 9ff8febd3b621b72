"""State of a window's workspace that outlives a life: lines that were found, stretches that are owed, pauses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from actors.workspace.bookkeeping import STATE, Bookkeeping
from domain.workspace.directives import FoundLine

MOST_FOUND = 40
"""Lines that are kept in mind, the best."""
MOST_OWED = 20


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns of one log, the first and the last."""

    log: str
    first: str
    last: str


class WorkspaceState:
    """What is kept in mind; whatever of the file is damaged counts as not there."""

    def __init__(self, books: Bookkeeping, *, is_kept: bool) -> None:
        """As it was kept.

        Args:
            books: Where.
            is_kept: Whether anything is.
        """
        self.books = books
        self._is_kept = is_kept
        document = books.document(STATE) if is_kept else {}
        self.is_fresh = not document
        """Whether there was nothing."""
        self.found: list[FoundLine] = list(_all(FoundLine, document.get("found")))
        self.owed: list[Stretch] = list(_all(Stretch, document.get("owed")))
        self.dirty_from: str = str(document.get("dirty_from", ""))
        """The first turn that SESSION.md has not been told of; empty for none."""
        self.log: str = str(document.get("log", ""))

    def keep(self) -> None:
        """Write it down."""
        if not self._is_kept:
            return
        self.books.put_document(
            STATE,
            {
                "found": [asdict(line) for line in self.found],
                "owed": [asdict(stretch) for stretch in self.owed],
                "dirty_from": self.dirty_from,
                "log": self.log,
            },
        )

    def add_found(self, lines: Iterable[FoundLine]) -> None:
        """Keep lines in mind, the best and of equals the newest."""
        known = {(line.turn_id, line.text): line for line in (*self.found, *lines)}
        if len(known) > MOST_FOUND:
            places = {key: place for place, key in enumerate(known)}
            best = sorted(known, key=lambda key: (-known[key].score, -places[key]))[:MOST_FOUND]
            known = {key: known[key] for key in sorted(best, key=places.__getitem__)}
        self.found = list(known.values())

    def forget_turn(self, turn_id: str) -> bool:
        """Whether lines of a turn, which was taken back, were kept in mind; they are not any more."""
        left = [line for line in self.found if line.turn_id != turn_id]
        is_changed = len(left) < len(self.found)
        self.found = left
        return is_changed

    def owe(self, stretch: Stretch) -> None:
        """Keep in mind that a stretch is in no file yet; of too many the oldest are given up."""
        if stretch not in self.owed:
            self.owed = [*self.owed, stretch][-MOST_OWED:]

    def pay(self, stretch: Stretch) -> None:
        """It is in the files."""
        self.owed = [each for each in self.owed if each != stretch]


def _all(kind: Any, listed: object) -> Iterable[Any]:
    """Those of some JSON objects that are sound."""
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and each.keys() == kind.__annotations__.keys():
            yield kind(**each)
