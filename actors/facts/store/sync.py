"""Synchronisation of catalogue and files: changes by other programs, found without reading unchanged files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from actors.facts.store.catalogue import item_of
from actors.facts.store.indexing import Indexing
from actors.facts.store.keeper import Keeper
from actors.facts.store.snapshot import Snapshot, SnapshotFile
from domain.facts.folders import place_of
from messages.facts import EntryRole, KnownRow

log = logging.getLogger(__name__)

FEW = 200
"""Most files to look at singly; beyond the limit, all files are compared."""


class Sync:
    """Comparison of the known state with the present files."""

    def __init__(self, keeper: Keeper, indexing: Indexing) -> None:
        """Begin without a comparison.

        Args:
            keeper: Knows the files, and looks at one.
            indexing: Has the files looked at, a few at a time.
        """
        self._keeper = keeper
        self._indexing = indexing

    def load(self, rows: Iterable[KnownRow]) -> None:
        """Take over the index's rows, except for entries changed since."""
        catalogue = self._keeper.catalogue
        for row in rows:
            if catalogue.get(row.id) is None and catalogue.at(row.path) is None:
                catalogue.put(item_of(row))

    def compare(self, snapshot: Snapshot) -> int:
        """Have possibly changed files looked at; return their number.

        Raises:
            OSError: a folder cannot be listed.
        """
        keeper = self._keeper
        stamps = keeper.files.stamps()
        changed = []
        for path, stamp in sorted(stamps.items(), key=lambda item: item[0].removesuffix(".md")):  # originals first
            known, digest = keeper.catalogue.at(path), snapshot.digest_of(path, stamp)
            seen = keeper.seen.get(path)
            if seen is not None and (seen.size, seen.mtime_ns) == (stamp.size, stamp.mtime_ns):
                continue
            if known is not None and digest and known.digest == digest:
                keeper.seen[path] = SnapshotFile(digest, stamp.size, stamp.mtime_ns)
            else:
                changed.append(path)
        gone = [path for path in keeper.catalogue.paths() if path not in stamps]
        self._indexing.look_at((*changed, *gone))
        return len(gone) + len(changed)

    def embed_missing(self, rows: Iterable[KnownRow], is_current: Callable[[str], bool]) -> None:
        """Have indexed entries embedded that lack a vector, or have a vector of another model.

        Args:
            rows: Rows of the index.
            is_current: True if the vectors of a space are of the model in force.
        """
        self._indexing.embed_anew(
            row.id for row in rows if row.role is not EntryRole.SUMMARY and not (row.model and is_current(row.model))
        )

    def put_missing(self, rows: Iterable[KnownRow]) -> None:
        """Put entries missing in the index into it.

        Args:
            rows: Rows of the index.
        """
        known = {row.id for row in rows}
        self._indexing.embed_anew([item.id for item in self._keeper.catalogue.items() if item.id not in known])

    def hear(self, paths: Iterable[str]) -> bool:
        """Look at files that may have changed; True if all files have to be compared."""
        few = list(paths)
        if not few or len(few) > FEW:
            return True
        is_strange = False
        for path in few:
            place, stamp = place_of(path), self._keeper.files.stamp(path)
            if place is None:
                is_strange = is_strange or not path.rpartition("/")[2].startswith(".")
            elif not place.is_deleted:
                seen = self._keeper.seen.get(path)
                if seen is None or stamp is None or (seen.size, seen.mtime_ns) != (stamp.size, stamp.mtime_ns):
                    self._indexing.look_at([path])
        return is_strange
