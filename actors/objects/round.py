"""Round of a window's objects: entries in order of time, with the rows for the store."""

from __future__ import annotations

from datetime import datetime

from domain.objects.ageing import Keep, end_round
from domain.objects.entries import AnyEntry, OutputSeen, RoundEnded, VersionSeen, encode
from domain.objects.looked import FileLook
from domain.objects.state import WindowObjects
from domain.objects.versions import next_version
from messages.objects import FileVersion, NewVersion, OutputRow, Showing

UNSAVED_CHARS = 4_000_000
"""Characters of texts in a round while the store is unreachable; later versions enter with their hashes only."""


class Round:
    """Changes since the last stored round. Each entry changes the state at once."""

    def __init__(self, objects: WindowObjects) -> None:
        """Begin without entries.

        Args:
            objects: State to change.
        """
        self.objects = objects
        self.entries: list[AnyEntry] = []
        self.versions: list[NewVersion] = []
        self.outputs: list[OutputRow] = []
        self.showings: list[Showing] = []
        self._chars = 0

    def take(self, entry: AnyEntry) -> None:
        """Take an entry without a row."""
        self.entries.append(entry)
        self.objects.apply(entry)

    def see(self, name: str, look: FileLook | None, now: datetime, place: str) -> FileVersion | None:
        """Take the look of a file.

        Args:
            name: Name of the file's object.
            look: None for a missing file.
            now: The time.
            place: Event after which the change is reported; empty for no report.

        Returns:
            The new version; None for an unchanged file.
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
        """Take an ended command."""
        self.take(entry)
        self.outputs.append(row)

    def end(self, entry: RoundEnded, keep: Keep, now: datetime) -> None:
        """End the round with the choice of shown texts."""
        self.entries.append(entry)
        for slot in end_round(self.objects, entry, keep):
            self.showings.append(Showing(object=slot.object, no=slot.no, place=slot.place, at=now))

    def data(self) -> bytes:
        """Encoded entries, for the store."""
        return encode(tuple(self.entries))

    def mark(self) -> tuple[int, ...]:
        """Present position, for `return_to`."""
        return len(self.entries), len(self.versions), len(self.outputs), len(self.showings), self._chars

    def return_to(self, mark: tuple[int, ...], objects: WindowObjects) -> None:
        """Drop all entries after a mark.

        Args:
            mark: Result of `mark`.
            objects: The state at the mark.
        """
        self.objects = objects
        entries, versions, outputs, showings, self._chars = mark
        del self.entries[entries:], self.versions[versions:], self.outputs[outputs:], self.showings[showings:]
