"""A story of one window, told in entries: what tests of the state, of ageing and of wording share."""

from __future__ import annotations

from datetime import UTC, datetime

from domain.objects import wording
from domain.objects.ageing import Keep, end_round
from domain.objects.entries import (
    AnyEntry,
    OutputSeen,
    RoundEnded,
    SessionBegan,
    Switched,
    TurnBegan,
    TurnsLeft,
    VersionSeen,
)
from domain.objects.looked import FileLook, Signature
from domain.objects.state import WindowObjects
from domain.objects.versions import next_version
from messages.base import EventId, TurnId

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LETTER = Keep(linger_tokens=0, big_tokens=0)
"""The rules to the letter: nothing lingers."""


def look(path: str, text: str | None, inode: int = 1) -> FileLook:
    """A file as it would be looked at."""
    status = "text" if text is not None else "unread"
    signature = Signature(1, inode, len(text or ""), 0, 0)
    digest = f"{hash(text) & (2**256 - 1):064x}" if text is not None else ""
    return FileLook(path=path, signature=signature, status=status, size=len(text or ""), content_hash=digest, text=text)


class Story:
    """Teller: each method is something that happens; `request` is what the model is shown then."""

    def __init__(self, keep: Keep = LETTER) -> None:
        self.keep = keep
        self.objects = WindowObjects()
        self.entries: list[AnyEntry] = []
        self.printed: dict[EventId, str] = {}
        self.of_turn: dict[TurnId, list[EventId]] = {}
        self.texts: dict[tuple[str, int], str] = {}
        self.files: dict[str, str] = {}
        self.place = ""
        self.seen: set[str] = set()
        """Places that requests have shown: nothing new is said there."""
        self._turns = 0
        self.take(SessionBegan(log="logs/a.md"))

    def take(self, entry: AnyEntry) -> None:
        """An entry, as it is."""
        self.entries.append(entry)
        self.objects.apply(entry)

    def turn(self) -> TurnId:
        """A person speaks."""
        self._turns += 1
        turn = TurnId(f"turn{self._turns}")
        self.of_turn[turn] = []
        self.place = turn
        self.take(TurnBegan(turn=turn))
        return turn

    def write(self, path: str, text: str) -> str:
        """A file is there, or is another; its object."""
        known = self.objects.file_at(path)
        name = known.version.object if known else f"f{self.objects.last_file + 1}"
        self.see(name, look(path, text))
        return name

    def see(self, name: str, seen: FileLook | None) -> None:
        """A file is looked at."""
        known = self.objects.files.get(name)
        version = next_version(known.version if known else None, name, seen, START)
        if version is not None:
            text = seen.text if seen is not None else None
            self.texts[name, version.no] = text or ""
            signature = seen.signature if seen is not None else None
            self.take(
                VersionSeen(version=version, chars=len(text or ""), signature=signature, looked_ns=0, place=self.place)
            )

    def run(self, text: str, alias: str = "", *, found: tuple[str, ...] = (), manages: bool = False) -> str:
        """A command ends, in the newest turn; its object."""
        turn = self.objects.turns[-1]
        event = EventId(f"e{self.objects.last_output + 1}")
        self.printed[event] = text
        self.of_turn[turn].append(event)
        self.place = event
        self.take(
            OutputSeen(
                event=event,
                turn=turn,
                no=self.objects.last_output + 1,
                chars=len(text),
                ending="exit 0",
                alias=alias,
                found=found,
                manages=manages,
            )
        )
        name = f"t{self.objects.last_output}"
        self.texts[name, 1] = text
        return name

    def cat(self, path: str) -> str:
        """A file is printed whole; its object."""
        file = self.objects.file_at(path)
        assert file is not None
        name = file.version.object
        self.run(self.texts[name, file.version.no], alias=name)
        return name

    def switch(self, name: str, to: str) -> None:
        """The model decides."""
        self.take(Switched(object=name, to=to))

    def leave(self, *turns: TurnId, withdrawals: int = 0) -> None:
        """Turns are trimmed, or taken back where there are more withdrawals than before."""
        for turn in turns:
            for event in self.of_turn.pop(turn):
                del self.printed[event]
        self.take(TurnsLeft(turns=turns, withdrawals=withdrawals))

    def request(self, cut: str = "") -> str:
        """All that the next request says, in its order."""
        entry = RoundEnded(place=self.place, cut=TurnId(cut))
        self.entries.append(entry)
        end_round(self.objects, entry, self.keep)
        self.seen |= {*self.of_turn, *self.printed}
        return self.words()

    def words(self) -> str:
        """The same without a round."""
        results = dict(wording.results(self.objects, self.printed, self.texts))
        notes = dict(wording.notes(self.objects, self.texts))
        parts = []
        for turn, events in self.of_turn.items():
            parts += [notes.get(turn, ""), f"<{turn}>", *(results[event] for event in events)]
        return "\n".join(parts) + "\n"


def replay(entries: list[AnyEntry], keep: Keep) -> WindowObjects:
    """The state that entries make."""
    objects = WindowObjects()
    for entry in entries:
        if isinstance(entry, RoundEnded):
            end_round(objects, entry, keep)
        else:
            objects.apply(entry)
    return objects
