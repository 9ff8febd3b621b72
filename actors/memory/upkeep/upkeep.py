"""Lifecycle of the open memory: opened, watched, compared with the logs, reopened after any loss of its file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator

import apsw

from actors.kernel import Host, Timer
from actors.memory.derived import database
from actors.memory.derived.database import ForeignDatabaseError
from actors.memory.index.database import SCHEMA
from actors.memory.index.reconcile import Piece, Reconciliation
from actors.memory.index.seal import AlteredIndexError
from actors.memory.search.views import remove_views
from actors.memory.store import MemoryPlan, Store
from domain.policy.known_readers import KnownReaders
from messages.base import RequestId
from messages.memory import IndexLog, LookAfterIndex, MemoryRebuilt, RebuildMemory, ReconcileDue, ReconcileSlice

log = logging.getLogger(__name__)

LOOK_EVERY_S = 60.0
REOPEN_AFTER_S = 5.0
SLICE_S = 0.02
SLICE_PIECES = 32
"""Most pieces of a comparison with the logs in a slice: turns wait no longer than a slice."""
READY = "ready"
COMPARING = "comparing with the logs"
MOST_REMADE = 5
"""Times in a life that an altered index is made anew; each leaves a copy beside the index."""


class NotOpenError(Exception):
    """There is no open index at the moment."""


class Upkeep:
    """Lifecycle of the index: opens, watches, compares with the logs, rebuilds; tells trouble once, then mends."""

    def __init__(
        self,
        host: Host,
        plan: MemoryPlan,
        reconcile_every_s: float,
        readers: KnownReaders,
        on_reconciled: Callable[[Store], None],
        on_closed: Callable[[], None],
    ) -> None:
        """Nothing is opened yet.

        Args:
            host: Actor that owns the upkeep.
            plan: Index to open.
            reconcile_every_s: Seconds between two comparisons with the logs.
            readers: Readers of windows.
            on_reconciled: Called when a comparison has ended.
            on_closed: Called when an index has been given back: row numbers are not valid in the next index.
        """
        self._host = host
        self._plan = plan
        self._reconcile_every_s = reconcile_every_s
        self._readers = readers
        self._on_reconciled = on_reconciled
        self._on_closed = on_closed
        self._store: Store | None = None
        self._trouble = ""
        """Reason why the index cannot be used; empty if usable."""
        self._run: Generator[Piece, None, Reconciliation] | None = None
        self._run_number = 0
        self._has_compared = False
        self._remade = 0
        self._rebuilds: list[tuple[RebuildMemory, float]] = []
        self._indexing: dict[RequestId, tuple[Generator[int, None, None] | None, int]] = {}
        """Logs on their way into the index, None for a log to be begun anew, and how many turns each has added."""
        self._reconcile_timer: Timer | None = None
        self._look_timer: Timer | None = None

    @property
    def state(self) -> str:
        """State of the memory, in a few words."""
        if self._trouble:
            return self._trouble
        return COMPARING if self._run is not None else READY

    def guard(self, act: Callable[[], None]) -> bool:
        """Run an action on the index; False on failure. Missed data comes from the logs later."""
        try:
            act()
        except NotOpenError:
            return False
        except (apsw.BusyError, apsw.LockedError):
            self._suffer("the memory index is locked by another program", REOPEN_AFTER_S)
        except (apsw.FullError, apsw.ReadOnlyError) as error:
            self._suffer(f"the memory index cannot be written: {error}", LOOK_EVERY_S)
        except (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.CantOpenError, OSError) as error:
            self._let_go()
            self._suffer(f"the memory index cannot be used: {error}", REOPEN_AFTER_S)
        except ForeignDatabaseError as error:
            self._suffer(str(error), None)
        except AlteredIndexError as error:
            self._make_anew(str(error))
        except (ValueError, LookupError, TypeError):
            # Nonsense in the file comes up as anything; where all is as it was stored, it is a defect.
            if self.guard(self._check):
                raise
        else:
            return True
        return False

    def open(self) -> None:
        """Open the index, and begin to compare it with the logs.

        Raises:
            apsw.Error: the index cannot be opened now.
            OSError: as above.
            ForeignDatabaseError: as `Store.open`.
        """
        with self._host.blocking():
            if not self._plan.read_only:
                remove_views(self._plan.data_root)  # First, as the index may not be to be opened for long.
            self._store = self._open_store()
        self._trouble = ""
        if self._plan.read_only:
            return
        if not self._store.index.is_coherent():
            log.warning("the memory index lacks turns or their words: rebuilding it from the logs")
            with self._host.blocking():
                self._store.empty()
        if self._store.space_changed:
            log.warning("the embedding model has changed: all turns get new vectors, in the background")
        self._look_again(LOOK_EVERY_S)
        self.begin_reconciling()

    def _open_store(self) -> Store:
        try:
            return Store.open(self._plan, self._host.now(), self._readers)
        except (AlteredIndexError, ValueError, LookupError, TypeError) as error:
            if self._plan.read_only or self._remade >= MOST_REMADE:
                raise
            self._disown(str(error))
            return Store.open(self._plan, self._host.now(), self._readers)

    def _check(self) -> None:
        """Compare all stored rows and vectors with their seals.

        Raises:
            AlteredIndexError: stored data was altered.
            apsw.Error: the index cannot be read.
        """
        if self._store is None:
            return
        try:
            with self._host.blocking():
                self._store.check()
        except (ValueError, LookupError, TypeError) as error:
            raise AlteredIndexError(str(error)) from error

    def _make_anew(self, reason: str) -> None:
        """Have the index made anew from the logs; pending requests are answered without the index."""
        self._let_go()
        if self._plan.read_only or self._remade >= MOST_REMADE:
            self._suffer(f"the memory index was altered: {reason}", None)
        else:
            self.guard(lambda: self._open_anew(reason))

    def _open_anew(self, reason: str) -> None:
        self._disown(reason)
        self.open()

    def _disown(self, reason: str) -> None:
        self._remade += 1
        log.warning("the memory index was altered by another program: %s", reason)
        database.disown(self._plan.path, SCHEMA)

    def store(self) -> Store:
        """The open memory, made anew if its file was taken away.

        Raises:
            NotOpenError: no memory is open at the moment.
            AlteredIndexError: another program has written to the index: an open index has no sum over its whole
                content.
        """
        if self._store is None:
            raise NotOpenError
        if not self._store.index.is_in_place:
            log.warning("the memory index was removed or replaced: rebuilding it from the logs")
            self._let_go()
            self.open()
        elif not self._plan.read_only and self._store.index.is_written_by_others():
            raise AlteredIndexError("another program has written into it")
        return self._store

    def close(self) -> None:
        """Give everything back. Idempotent."""
        self._let_go()
        for timer in (self._reconcile_timer, self._look_timer):
            if timer is not None:
                timer.cancel()

    def look_after(self) -> None:
        """See whether the index is there and can be written; after trouble, catch up from the logs."""
        if self._store is None:
            self.open()
            return
        store = self.store()
        with self._host.blocking():
            store.mend()
        if self._trouble:
            with self._host.blocking():
                store.index.note("looked_at", int(self._host.now().timestamp()))
            self._trouble = ""
            log.warning("the memory index works again")
            self.begin_reconciling()
        self._look_again(LOOK_EVERY_S)

    def rebuild(self, request: RebuildMemory) -> None:
        """Empty the index and refill it from the logs; the requester gets a reply at the end."""
        store = self.store()
        self._rebuilds.append((request, self._host.monotonic()))
        with self._host.blocking():
            store.empty()
        self.begin_reconciling()

    def begin_reconciling(self) -> None:
        """Start a time-sliced comparison of the index with all logs, in place of any running comparison."""
        store = self.store()
        self._stop_run()
        if self._reconcile_timer is not None:
            self._reconcile_timer.cancel()
        self._run_number += 1
        self._run = store.reconcile(self._host.now())
        self._host.tell(self._host.address, ReconcileSlice(run=self._run_number))

    def index_piece(self, request: IndexLog) -> int | None:
        """Take in the next piece of a log; the number of new turns at its end, None before."""
        store = self.store()
        pieces, added = self._indexing.pop(request.request_id, (None, 0))
        if pieces is None:
            pieces = store.index_log(request.path, self._host.now())
        with self._host.blocking():
            fresh = next(pieces, None)
        if fresh is None:
            return added
        self._indexing[request.request_id] = pieces, added + fresh
        return None

    def begin_logs_anew(self) -> None:
        """Read logs on their way into the index from their beginnings: the open files may hold forgotten words."""
        for request_id, (pieces, added) in self._indexing.items():
            if pieces is not None:
                pieces.close()
            self._indexing[request_id] = None, added

    def go_on_reconciling(self, due: ReconcileSlice) -> None:
        """Do the next slice, if the slice belongs to the running comparison."""
        if self._run is None or due.run != self._run_number:
            return
        store = self.store()
        until = self._host.monotonic() + SLICE_S
        try:
            with self._host.blocking():
                for _ in range(SLICE_PIECES):
                    next(self._run)
                    if self._host.monotonic() >= until:
                        break
        except StopIteration as end:
            self._end_reconciling(store, end.value)
            return
        self._host.tell(self._host.address, due)

    def _end_reconciling(self, store: Store, run: Reconciliation) -> None:
        self._run = None
        with self._host.blocking():
            retried = store.index.pending.retry_failed(is_start=not self._has_compared)
        self._has_compared = True
        tally = run.tally
        log.info(
            "memory compared with %d logs: %d turns added, %d dropped, %d embeddings to try again, %d damaged logs",
            *(tally.logs, tally.added, tally.dropped, retried, tally.damaged),
        )
        self._answer_rebuilds(store)
        self._reconcile_timer = self._host.after(self._reconcile_every_s, ReconcileDue())
        self._on_reconciled(store)

    def _answer_rebuilds(self, store: Store) -> None:
        rebuilds, self._rebuilds = self._rebuilds, []
        if not rebuilds:
            return
        with self._host.blocking():
            counts = store.index.counts()
        for request, began in rebuilds:
            rebuilt = MemoryRebuilt(
                request_id=request.request_id,
                rows=counts.rows,
                pending=counts.pending,
                seconds=round(self._host.monotonic() - began, 3),
            )
            self._host.tell(request.reply_to, rebuilt)

    def _suffer(self, reason: str, look_after_s: float | None) -> None:
        """Tell the operator once; come back to check for the end of the trouble, and then read the logs."""
        self._stop_run()
        if reason != self._trouble:
            level = logging.INFO if self._plan.read_only else logging.WARNING
            log.log(level, "%s; turns go on without memories", reason)
        self._trouble = reason
        if look_after_s is not None and not self._plan.read_only:
            self._look_again(look_after_s)

    def _look_again(self, after_s: float) -> None:
        if self._look_timer is not None:
            self._look_timer.cancel()
        self._look_timer = self._host.after(after_s, LookAfterIndex())

    def _let_go(self) -> None:
        self._stop_run()
        self._indexing.clear()
        store, self._store = self._store, None
        if store is not None:
            self._on_closed()
            store.close()

    def _stop_run(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.close()
