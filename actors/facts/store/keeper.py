"""Keeper of entries: a change is made in the files, then known to the catalogue, then told to the index."""

from __future__ import annotations

from collections import Counter

import msgspec

from actors.facts.store.catalogue import Catalogue, Item
from actors.facts.store.copies import Copies
from actors.facts.store.files import EntryFiles, Filed, Stamp
from actors.facts.store.indexing import Indexing
from actors.facts.store.naming import place_summary_id
from actors.facts.store.snapshot import SnapshotFile
from domain.facts.copies import extends, is_version_of, original_of
from domain.facts.entry import Entry
from domain.facts.folders import folder_of, path_of, place_of, summary_path
from domain.facts.ids import id_of_path
from messages.facts import EntryRole, IndexRow


class Keeper:
    """Only writer of entries."""

    def __init__(self, files: EntryFiles, catalogue: Catalogue, indexing: Indexing) -> None:
        """Begin without changes.

        Args:
            files: Files of entries, the truth.
            catalogue: Entries that exist.
            indexing: Puts entries into the index.
        """
        self.files = files
        self.catalogue = catalogue
        self._indexing = indexing
        self.seen: dict[str, SnapshotFile] = {}
        """State of each file at its last read or write, by path."""
        self.changes = 0
        """Of files, by us."""
        self.forgets: Counter[str] = Counter()
        """Number of entries forgotten in this life, by conversation: work begun before has read the forgotten words."""
        self._forgotten: set[str] = set()
        self._copies = Copies()

    def add(self, entry: Entry, path: str = "", vector: bytes = b"", model: str = "") -> Item:
        """Keep an entry.

        Args:
            entry: Entry to keep.
            path: Path of the file; empty for the usual path.
            vector: Of its text; empty to have it made.
            model: The vector's space.

        Raises:
            OSError: the entry may not be kept.
        """
        path = path or path_of(folder_of(entry.conversation), entry.role, entry.created_at, entry.id)
        digest = self.files.write(entry, path)
        self.changes += 1
        return self._take_in(Filed(entry, path, digest), entry.id, vector, model)

    def has_been(self, entry: Entry) -> bool:
        """True if an entry was kept before, and perhaps deleted since."""
        path = path_of(folder_of(entry.conversation), entry.role, entry.created_at, entry.id)
        if self.is_forgotten(entry.id):
            return True
        if self.files.stamp(path) is not None:
            return self.files.is_kept(entry, path)
        return self.catalogue.get(entry.id) is not None or self.files.is_buried(path)

    def add_summary(self, conversation: str, kind: str, number: int, entry: Entry) -> Item:
        """Keep a summary in place of the previous summary.

        Raises:
            OSError: the summary may not be kept.
        """
        return self.add(entry, summary_path(folder_of(conversation), kind, number))

    def bury(self, item: Item, replaced_by: str = "") -> str:
        """Move an entry to the deleted entries; return the new path.

        Raises:
            OSError: the entry may still be at its old path.
        """
        path = self.files.bury(item.path, replaced_by)
        for copy in self._copies.of(item.path):
            self.files.bury(copy, replaced_by)
            self._copies.drop(copy)
        self._forget(item)
        self.changes += 1
        return path

    def bury_path(self, path: str, replaced_by: str) -> None:
        """Move an entry to the deleted ones by path, even an unknown path; a missing file is ignored.

        Raises:
            OSError: the entry may still be there.
        """
        item = self.catalogue.at(path)
        if item is not None:
            self.bury(item, replaced_by)
        elif self.files.stamp(path) is not None:
            self.files.bury(path, replaced_by)
            self.changes += 1

    def destroy(self, item: Item) -> None:
        """Remove an entry for good.

        Raises:
            OSError: the entry may still be there.
        """
        self.files.destroy(item.path)
        for copy in self._copies.of(item.path):
            self.files.destroy(copy)
            self._copies.drop(copy)
        self._forget(item)
        self.changes += 1

    def note_forgotten(self, entry_id: str, conversation: str) -> None:
        """Keep work under way from bringing back an entry or its derived entries."""
        self.forgets[conversation] += 1
        self._forgotten.add(entry_id)

    def is_forgotten(self, entry_id: str) -> bool:
        """True if an entry was forgotten in this life."""
        return entry_id in self._forgotten

    def read(self, item: Item) -> Entry | None:
        """Entry with its text; None if the file can no longer be read."""
        filed = self.files.read(item.path)
        return filed.entry if filed is not None else None

    def take(self, path: str, stamp: Stamp | None) -> None:
        """Take in a file that another program may have changed.

        Args:
            path: Path of the file.
            stamp: Present stamp; None if the file is gone.
        """
        known = self.catalogue.at(path)
        filed = self.files.read(path) if stamp is not None else None
        if filed is None or stamp is None:
            self.seen.pop(path, None)
            self._copies.drop(path)
            if known is not None:
                self._forget(known)
            for copy in self._copies.of(path):
                self.take(copy, self.files.stamp(copy))
            return
        if known is not None and known.digest == filed.digest:
            self.seen[path] = SnapshotFile(filed.digest, stamp.size, stamp.mtime_ns)
            return
        is_copy = self._is_copy(filed, known)
        self.seen[path] = SnapshotFile(filed.digest, stamp.size, stamp.mtime_ns)
        if is_copy:
            return
        entry_id = self._free_id(filed)
        other = self.catalogue.get(entry_id)
        if known is not None and known.id != entry_id:
            self._indexing.drop(known.id)
        is_moved = other is not None and other.digest == filed.digest and bool(other.model)
        self._take_in(filed, entry_id, keeps=other.model if other is not None and is_moved else "")

    def row(self, item: Item, entry: Entry) -> IndexRow:
        """Row for the index about an entry."""
        place = place_of(item.path)
        return IndexRow(
            id=item.id,
            path=item.path,
            digest=item.digest,
            conversation=item.conversation,
            role=item.role,
            created_at=item.created_at,
            summary_kind=entry.summary_kind or (place.summary_kind if place is not None else ""),
            replaced_by=entry.replaced_by,
            content=entry.content,
        )

    def _take_in(self, filed: Filed, entry_id: str, vector: bytes = b"", model: str = "", keeps: str = "") -> Item:
        entry = filed.entry
        item = Item(entry_id, filed.path, filed.digest, entry.conversation, entry.role, entry.created_at, keeps)
        self.catalogue.put(item)
        if (stamp := self.files.stamp(filed.path)) is not None:
            self.seen[filed.path] = SnapshotFile(filed.digest, stamp.size, stamp.mtime_ns)
        row = self.row(item, entry)
        if entry.role is EntryRole.SUMMARY or keeps:
            self._indexing.put_as_is(row, keeps)
        else:
            self._indexing.put(msgspec.structs.replace(row, vector=vector), model)
        return item

    def _forget(self, item: Item) -> None:
        self.seen.pop(item.path, None)
        self.catalogue.drop(item.id)
        self._indexing.drop(item.id)

    def _is_copy(self, filed: Filed, known: Item | None) -> bool:
        """True if a file is a copy of another file's entry; notes the copy, or the other file as a copy of this one."""
        self._copies.drop(filed.path)
        other = self.catalogue.get(filed.entry.id)
        if filed.entry.id == id_of_path(filed.path):
            other = self.catalogue.at(original_of(filed.path))
        if other is None or other.path == filed.path or (entry := self.read(other)) is None:
            return False
        is_same = entry.content.strip() == filed.entry.content.strip() and entry.role is filed.entry.role
        if extends(other.path, filed.path) and (is_same or is_version_of(other.path, filed.path)):
            seen = self.seen.get(other.path)
            self._forget(other)
            if seen is not None:
                self.seen[other.path] = seen
            self._copies.note(other.path, filed.path, is_same=is_same)
            return False
        if not is_same and not is_version_of(filed.path, other.path):
            return False
        if known is not None:
            self._forget(known)
        self._copies.note(filed.path, other.path, is_same=is_same)
        return True

    def _free_id(self, filed: Filed) -> str:
        """The entry's own id, unless used by another file; for a summary the id of the place."""
        place = place_of(filed.path)
        own = filed.entry.id
        if place is not None and place.kind == "summaries":
            own = place_summary_id(filed.entry.conversation, place)
        other = self.catalogue.get(own)
        if other is None or other.path == filed.path or self.files.stamp(other.path) is None:
            return own
        return id_of_path(filed.path)
