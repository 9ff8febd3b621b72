"""FactIndexActor: sole owner of the facts' index."""

from __future__ import annotations

from pathlib import Path

from actors.facts.index.database import SCHEMA
from actors.facts.index.store import FactStore
from actors.kernel import not_understood
from actors.memory.derived.owner import DatabaseActor
from messages.base import flaw_of
from messages.facts import (
    FACTS,
    ChangeRows,
    FetchRows,
    FindRows,
    IndexBegun,
    IndexMessage,
    LoadRows,
    RowsChanged,
    RowsFetched,
    RowsFound,
    RowsLoaded,
)
from messages.status import DescribeYourself


class FactIndexActor(DatabaseActor[FactStore]):
    """Index of entries: keeps their rows and vectors, and finds the nearest.

    Owns: `facts/index.sqlite` in the data root, all of which can be made again.
    Asks: no actor; tells the facts when the index was replaced.
    Crashes on: its own faults; trouble with the file is no crash.
    """

    def __init__(self, data_root: Path | None) -> None:
        """Begin without an open database.

        Args:
            data_root: Folder of the data; None to keep no data beyond the process.
        """
        path = None if data_root is None else SCHEMA.path(data_root)
        super().__init__(SCHEMA, lambda is_doubtful: FactStore(path, self.now(), is_damaged=is_doubtful))
        self._known: tuple[int, int] | None = None
        """(device, inode) of the last open file; None before the first."""

    def handle(self, message: IndexMessage) -> None:
        """Answer a request, or refuse an impossible one."""
        match message:
            case _ if flaw := flaw_of(message):
                self.refuse(message, flaw)
            case DescribeYourself():
                self.describe(message)
            case LoadRows(request_id=request_id):
                self.answer(message, lambda store: RowsLoaded(request_id=request_id, rows=store.rows()))
            case FetchRows(request_id=request_id):
                self.answer(message, lambda store: RowsFetched(request_id=request_id, rows=store.fetch(message)))
            case ChangeRows():
                self.answer(message, lambda store: self._change(store, message))
            case FindRows(request_id=request_id):
                self.answer(message, lambda store: RowsFound(request_id=request_id, rows=store.find(message)))
            case _:
                not_understood(message)

    def note_opening(self, store: FactStore) -> None:
        """Tell the facts when the index is another file than before."""
        if self._known is not None and (store.file.is_new or store.file.inode != self._known):
            self.tell(FACTS, IndexBegun())
        self._known = store.file.inode

    def _change(self, store: FactStore, message: ChangeRows) -> RowsChanged:
        store.change(message)
        if message.for_good:
            store.file.scrub()
        else:
            self.tidy_later()
        return RowsChanged(request_id=message.request_id)
