"""Round of a window's objects: entries as they happen, with the rows that the store is to keep of them."""

from __future__ import annotations

from datetime import datetime

from domain.objects.ageing import Keep, end_round
from domain.objects.entries import AnyEntry, OutputSeen, RoundEnded, VersionSeen, encode
from domain.objects.looked import FileLook
from domain.objects.state import WindowObjects
from domain.objects.versions import next_version
from messages.objects import FileVersion, NewVersion, OutputRow, Showing

UNSAVED_CHARS = 4_000_000
"""Of the texts that a round holds while the store cannot be reached; of later versions only the hashes go in."""


class Round:
    """What has happened since the store had its last word. Each entry changes the state at once."""

    def __init__(self, objects: WindowObjects) -> None:
        """Nothing has happened.

        Args:
            objects: The state that changes.
        """
        self.objects = objects
        self.entries: list[AnyEntry] = []
        self.versions: list[NewVersion] = []
        self.outputs: list[OutputRow] = []
        self.showings: list[Showing] = []
        self._chars = 0

    def take(self, entry: AnyEntry) -> None:
        """An entry that no row belongs to."""
        self.entries.append(entry)
        self.objects.apply(entry)

    def see(self, name: str, look: FileLook | None, now: datetime, place: str) -> FileVersion | None:
        """A file as it was looked at, or its absence.

        Args:
            name: Of its object.
            look: None where it is missing.
            now: The time.
            place: Where that is told; empty for nowhere.

        Returns:
            The new version, if it is one.
        """
        file = self.objects.files.get(name)
        version = next_version(file.version if file else None, name, look, now)
        if version is None:
            return None
        text = look.text if look is not None else None
        looked_ns = int(now.timestamp() * 1e9)
        signature = look.signature if look is not None else None
        entry = VersionSeen(
            version=version, chars=len(text or ""), signature=signature, looked_ns=looked_ns, place=place
        )
        self.take(entry)
        self._chars += len(text or "")
        self.versions.append(NewVersion(version=version, text=text if self._chars <= UNSAVED_CHARS else None))
        return version

    def hear(self, entry: OutputSeen, row: OutputRow) -> None:
        """A command that has ended."""
        self.take(entry)
        self.outputs.append(row)

    def end(self, entry: RoundEnded, keep: Keep, now: datetime) -> None:
        """Decide what the request shows."""
        self.entries.append(entry)
        for slot in end_round(self.objects, entry, keep):
            self.showings.append(Showing(object=slot.object, no=slot.no, place=slot.place, at=now))

    def data(self) -> bytes:
        """The entries, as the store keeps them."""
        return encode(tuple(self.entries))

    def mark(self) -> tuple[int, ...]:
        """How far it is, for `return_to`."""
        return len(self.entries), len(self.versions), len(self.outputs), len(self.showings), self._chars

    def return_to(self, mark: tuple[int, ...], objects: WindowObjects) -> None:
        """Forget what came after a mark.

        Args:
            mark: Of `mark`.
            objects: The state as it was then.
        """
        self.objects = objects
        entries, versions, outputs, showings, self._chars = mark
        del self.entries[entries:], self.versions[versions:], self.outputs[outputs:], self.showings[showings:]
