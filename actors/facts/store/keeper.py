"""Keeper of entries: a change is made in the files, then known to the catalogue, then told to the index."""

from __future__ import annotations

import msgspec

from actors.facts.store.catalogue import Catalogue, Item
from actors.facts.store.files import EntryFiles, Filed, Stamp
from actors.facts.store.indexing import Indexing
from actors.facts.store.naming import place_summary_id
from actors.facts.store.snapshot import SnapshotFile
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
        """Files as they were when they were read or written, by path."""
        self.changes = 0
        """Of files, by us."""

    def add(self, entry: Entry, path: str = "", vector: bytes = b"", model: str = "") -> Item:
        """Keep an entry.

        Args:
            entry: It.
            path: Of its file; empty for the usual one.
            vector: Of its text; empty to have it made.
            model: The vector's space.

        Raises:
            OSError: it may not be kept.
        """
        path = path or path_of(folder_of(entry.conversation), entry.role, entry.created_at, entry.id)
        digest = self.files.write(entry, path)
        self.changes += 1
        return self._known(Filed(entry, path, digest), entry.id, vector, model)

    def has_been(self, entry: Entry) -> bool:
        """True if an entry was kept before, and perhaps deleted since."""
        path = path_of(folder_of(entry.conversation), entry.role, entry.created_at, entry.id)
        return (
            self.catalogue.get(entry.id) is not None or self.files.stamp(path) is not None or self.files.is_buried(path)
        )

    def add_summary(self, conversation: str, kind: str, number: int, entry: Entry) -> Item:
        """Keep a summary in place of the one that was there.

        Raises:
            OSError: it may not be kept.
        """
        return self.add(entry, summary_path(folder_of(conversation), kind, number))

    def bury(self, item: Item, replaced_by: str = "") -> str:
        """Move an entry to the deleted ones; gives its new path.

        Raises:
            OSError: the entry may still be at its old path.
        """
        path = self.files.bury(item.path, replaced_by)
        self._forget(item)
        self.changes += 1
        return path

    def destroy(self, item: Item) -> None:
        """Remove an entry for good.

        Raises:
            OSError: it may still be there.
        """
        self.files.destroy(item.path)
        self._forget(item)
        self.changes += 1

    def read(self, item: Item) -> Entry | None:
        """An entry's text and all; None if its file cannot be read any more."""
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
            if known is not None:
                self._forget(known)
            return
        self.seen[path] = SnapshotFile(filed.digest, stamp.size, stamp.mtime_ns)
        if known is not None and known.digest == filed.digest:
            return
        entry_id = self._free_id(filed)
        other = self.catalogue.get(entry_id)
        if known is not None and known.id != entry_id:
            self._indexing.drop(known.id)
        is_moved = other is not None and other.digest == filed.digest and bool(other.model)
        self._known(filed, entry_id, keeps=other.model if other is not None and is_moved else "")

    def row(self, item: Item, entry: Entry) -> IndexRow:
        """An entry as the index is told it."""
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

    def _known(self, filed: Filed, entry_id: str, vector: bytes = b"", model: str = "", keeps: str = "") -> Item:
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

    def _free_id(self, filed: Filed) -> str:
        """The entry's own id, unless another file has it; of a summary the one of its place."""
        place = place_of(filed.path)
        own = filed.entry.id
        if place is not None and place.kind == "summaries":
            own = place_summary_id(filed.entry.conversation, place)
        other = self.catalogue.get(own)
        if other is None or other.path == filed.path or self.files.stamp(other.path) is None:
            return own
        return id_of_path(filed.path)
