"""Store of the memory: index, arrays, vector engine and views, kept in step."""

from __future__ import annotations

import logging
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path, PurePosixPath

import numpy as np

from actors.linux.private_folder import TemporaryFolder
from actors.memory.codes.engine import MEASURED, EngineSpace, Tuning, VectorEngine
from actors.memory.index import database
from actors.memory.index.index import Index
from actors.memory.index.pending import Waiting
from actors.memory.index.reconcile import Piece, Reconciliation
from actors.memory.index.seal import check_rows_after, check_vectors_after
from actors.memory.index.vectors import IndexVectors
from actors.memory.index.word_check import check_words
from actors.memory.search.search import Kind, Searcher
from actors.memory.search.views import Views
from actors.memory.search.visibility import Mask, Scope, Visibility
from domain.log.window import parse_log_path, redacted_path
from domain.memory.injection import Memory
from domain.memory.remembered import Entry, Remembered, TakenBack
from domain.policy.known_readers import KnownReaders
from messages.base import EventId, Surface, TurnId, Window
from messages.forget import ForgottenEvent

log = logging.getLogger(__name__)

SCRUBBED = 100_000
"""Rows, and vectors, compared with their seals by a comparison; the next goes on there. 2 s of work in an hour."""
SCRUBBED_AT_ONCE = 1_000
SMALL_PIECE_BYTES = 16 * 1024
"""Bytes of a log taken in between two turns' questions: some 70 messages, about 10 ms."""
LATEST = 64
"""Rows of a window, beyond the visible rows, searched for a turn's own."""


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Parameters for opening a memory."""

    data_root: Path
    space: str
    """Names the vectors' space."""
    dimensions: int
    search: Kind = "hybrid"
    scope: Scope = "audience"
    read_only: bool = False
    """Read only: no file in the data root is made or changed."""
    is_live: bool = False
    """With `read_only`: whether an agent has the index open."""
    exclude_visible: bool = True
    """True to leave out of a window's results the turns shown in its history, pins apart."""
    busy_ms: int = database.SCHEMA.busy_ms
    """Milliseconds that a statement waits for another program's lock."""
    tuning: Tuning = MEASURED
    """Of the vector engine."""

    @property
    def path(self) -> Path:
        """The index."""
        return self.data_root / database.PLACE


class Store:
    """Open memory: one life of the index, from opening to closing. After an `apsw.Error` the index is unchanged."""

    def __init__(
        self, plan: MemoryPlan, index: Index, readers: KnownReaders, scratch: TemporaryFolder | None = None
    ) -> None:
        self.index = index
        self._plan = plan
        self._scratch = scratch
        self._vectors = IndexVectors(index.connection, index.space, plan.dimensions)
        self._visibility = Visibility(plan.scope, readers)
        self._visibility.load(index.connection)
        self.engine = self._opened_engine()
        self.searcher = Searcher(index.connection, self._vectors, self.engine, plan.search)
        self._views: Views | None = None
        if plan.scope == "audience" and not plan.read_only:
            self._views = Views(plan.data_root, index.connection, readers)
            self._views.open()
        self.is_new = False
        self.space_changed = False
        self._scrubbed = {"rows": 0, "vectors": 0}
        """The last row and the last vector checked; 0 to begin anew."""

    @classmethod
    def open(cls, plan: MemoryPlan, now: datetime, readers: KnownReaders | None = None) -> Store:
        """The memory as found on the disk, or a new memory; an unusable file is moved aside.

        Without `readers` the readers of all windows are unknown.

        Raises:
            apsw.Error: the index cannot be opened now.
            OSError: as above.
            ForeignDatabaseError: only in read-only mode: the index is missing or foreign.
        """
        readers = readers or KnownReaders()
        if plan.read_only:
            scratch = TemporaryFolder("agent-memory-")
            try:
                index = Index(database.open_for_reading(plan.path, Path(scratch.name), is_live=plan.is_live))
            except BaseException:
                scratch.cleanup()
                raise
            index.find_space(plan.space, plan.dimensions)
            return cls(plan, index, readers, scratch)
        index, is_new = Index.open(plan.path, now, plan.busy_ms)
        changed = index.use_space(plan.space, plan.dimensions)
        store = cls(plan, index, readers)
        store.is_new, store.space_changed = is_new, changed
        return store

    def close(self) -> None:
        """Give everything back, whatever the disk says. Idempotent."""
        if self._views is not None:
            try:
                self._views.close()
            except OSError as error:  # the next opening begins with taking them away
                log.warning("views/ stays until the memory is opened again: %s", error)
        self.engine.close()
        self.index.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def size_bytes(self) -> int:
        """Size of the index with its side files."""
        return sum(
            file.stat().st_size for file in self._plan.path.parent.glob(f"{self._plan.path.name}*") if file.is_file()
        )

    # what was said

    def remember(self, window: Window, entries: Iterable[Entry]) -> None:
        """Store entries of a window; entries already stored have no effect."""
        entries = tuple(entries)
        added, gone = self.index.remember(window, entries)
        self._follow(window, added, gone)
        for path in {entry.path for entry in entries if isinstance(entry, Remembered)}:
            self.show_log(path)
        self._renew_logs(entry.tombstone.path for entry in entries if isinstance(entry, TakenBack))

    def index_log(self, path: str, now: datetime) -> Generator[int, None, None]:
        """Take in a log written whole, its vectors after all others; the number of new turns of each piece.

        Raises:
            ValueError: not the path of a log.
        """
        window, _ = parse_log_path(PurePosixPath(path))
        for piece in Reconciliation(self._plan.data_root, self.index, now, SMALL_PIECE_BYTES).compare(window, path):
            self._follow(piece.window, piece.added, piece.dropped)
            self.index.pending.put_behind(piece.added)
            yield len(piece.added)
        self.show_log(path)

    def open_view(self, window: Window) -> None:
        """Give a window's commands access to all logs readable there."""
        if self._views is not None:
            self._views.open_for(window)

    def readers_changed(self, window_keys: Iterable[str]) -> None:
        """Follow changed readers of these windows."""
        window_keys = tuple(window_keys)
        self._visibility.readers_changed(window_keys)
        if self._views is not None:
            self._views.readers_changed(window_keys)

    def show_log(self, path: str) -> None:
        """Show a log in all views allowed to read the log."""
        if self._views is not None and path:
            self._views.add_log(path)

    def unredacted_logs(self) -> list[str]:
        """Logs with retracted words but without a redacted copy."""
        root = self._plan.data_root
        return [path for path in self.index.redacted_logs() if not (root / redacted_path(path)).exists()]

    def forget(self, events: Sequence[ForgottenEvent]) -> Generator[None, None, int]:
        """Take out forgotten events, in steps; the number of rows gone.

        Raises:
            apsw.Error: the index cannot be written; another call does the rest.
            OSError: a file beside it cannot.
        """
        count = self.take_out(events)
        self.engine.erase_gone()
        yield
        yield from self.index.scrub()
        return count

    def take_out(self, events: Sequence[ForgottenEvent]) -> int:
        """Find forgotten events no more; their bytes stay until `forget`. The number of rows gone.

        Raises:
            apsw.Error: the index cannot be written.
        """
        gone = self.index.take_out(events)
        self._follow(None, (), gone)
        self._renew_logs(event.path for event in events)
        return len(gone)

    def store_vectors(self, vectors: Sequence[tuple[Waiting, bytes]]) -> None:
        """Keep vectors and make the vectors searchable."""
        rows = self.index.pending.store(vectors)
        self.engine.append(np.array(sorted(rows), np.int64))

    def reconcile(self, now: datetime) -> Generator[Piece, None, Reconciliation]:
        """Compare all rows with the logs, piece by piece, and then rows and vectors with their seals.

        After an end in disorder no stored data is trusted: unchanged logs are compared as well, all rows and vectors
        with their seals, and the keyword index with the rows.

        Raises:
            AlteredIndexError: stored data was altered.
        """
        is_thorough = not self.index.is_verified()
        run = Reconciliation(self._plan.data_root, self.index, now)
        for piece in run.pieces():
            self._follow(piece.window, piece.added, piece.dropped)
            self.show_log(piece.path)
            yield piece
        if self._views is not None:
            for _ in self._views.sweep():
                yield Piece()
        for check, key in ((check_rows_after, "rows"), (check_vectors_after, "vectors")):
            for _ in count() if is_thorough else range(SCRUBBED // SCRUBBED_AT_ONCE):
                self._scrubbed[key] = check(self.index.connection, self._scrubbed[key], SCRUBBED_AT_ONCE)
                yield Piece()
                if not self._scrubbed[key]:
                    break
        if is_thorough:
            for _ in check_words(self.index.connection):
                yield Piece()
            self.index.note_verified()
        return run

    def check(self) -> None:
        """Compare every row and vector with its seal.

        Raises:
            AlteredIndexError: a row or vector was altered.
        """
        for check in (check_rows_after, check_vectors_after):
            last = 0
            while last := check(self.index.connection, last, SCRUBBED_AT_ONCE):
                continue

    def empty(self) -> None:
        """Forget all but the vectors."""
        self.engine.close()
        self.index.empty()
        self._vectors.forget()
        self._visibility.load(self.index.connection)
        self.engine = self._opened_engine()
        self.searcher = Searcher(self.index.connection, self._vectors, self.engine, self._plan.search)

    def mend(self) -> None:
        """Try again to keep data that could not be kept."""
        if self.engine.trouble:
            self.engine.reopen()

    # questions

    @property
    def total(self) -> int:
        """Number of turns."""
        return self._visibility.total

    def mask(self, target: Window, visible: Iterable[EventId], turn: TurnId | None) -> Mask:
        """True for every row allowed for `target`, except its visible turns (pins apart) and the asking turn."""
        mask = self._visibility.mask(target)
        hidden = frozenset(visible) if self._plan.exclude_visible else frozenset[EventId]()
        if turn is not None or hidden:
            for row, event, its_turn, is_pinned in self.index.latest(target, len(hidden) + LATEST):
                if event == turn or its_turn == turn or (event in hidden and not is_pinned):
                    mask[row] = False
        return mask

    def embedded_question(self, text: str, target: Window) -> str:
        """The text to embed for a question asked in `target`."""
        return self.searcher.embedded_question(text, self._visibility.windows(target))

    def has_any(self, target: Window, visible: Collection[EventId], turn: TurnId | None) -> bool:
        """True if any row may be found for `target`; most often the visible turns need no look."""
        count = np.count_nonzero(self._visibility.mask(target))
        return bool(count > len(visible) + LATEST or (count and self.mask(target, visible, turn).any()))

    def pins(self, target: Window) -> list[Memory]:
        """The pins visible in `target`, newest first; for the operator, in the window with the most pins."""
        if target.surface is Surface.CLI:
            return self.searcher.pins(self._visibility.fullest, None)
        mask = self._visibility.mask(target)
        return self.searcher.pins(lambda rows: [row for row in rows if row < len(mask) and mask[row]], target)

    def may_show(self, path: str, line: int, target: Window) -> bool:
        """True if the turn at the given place may be shown in `target`; False also without a turn there."""
        key = self.index.said_at(path, line)
        return key is not None and self._visibility.may_show(key, target)

    # the parts of the above

    def _opened_engine(self) -> VectorEngine:
        plan, name = self._plan, f"{self._plan.space}#{self.index.note_of('generation')}"
        if self._scratch is None:
            return VectorEngine(EngineSpace(plan.path.parent, name, plan.dimensions), self._vectors, plan.tuning)
        space = EngineSpace(Path(self._scratch.name), name, plan.dimensions)
        return VectorEngine.copy_of(plan.path.parent, space, self._vectors, plan.tuning)

    def _follow(self, window: Window | None, added: Sequence[int], gone: Sequence[int]) -> None:
        """Update arrays and codes with new and removed rows."""
        for row in gone:
            self._visibility.drop(row)
        dropped = np.array(sorted(gone), np.int64)
        self._vectors.forget(dropped)
        self.engine.remove(dropped)
        number = 0 if window is None else self.index.number(window)
        self.searcher.follow(number, added, gone)
        if not added or window is None:
            return
        rows = np.array(sorted(added), np.int64)
        self._visibility.add(rows, number, window.address.key)
        self.engine.append(self._vectors.ready(rows))

    def _renew_logs(self, paths: Iterable[str]) -> None:
        if self._views is not None:
            for path in set(paths):
                self._views.renew_log(path)
