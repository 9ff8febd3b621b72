"""FactIndexActor: sole owner of the facts' index."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import apsw

from actors.kernel import Actor, Timer, not_understood
from actors.memory.facts.database import FILE, FOLDER
from actors.memory.facts.store import DamageError, FactStore, RowError
from messages.base import Message, flaw_of
from messages.facts import (
    FACTS,
    ChangeRows,
    FetchRows,
    FindRows,
    IndexBegun,
    IndexCommand,
    IndexMessage,
    IndexTidyDue,
    LoadRows,
    RowsChanged,
    RowsFetched,
    RowsFound,
    RowsLoaded,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

TIDY_S = 2.0
"""Seconds without a change after which the WAL is written into the database."""
_DAMAGE = (apsw.CorruptError, apsw.NotADBError, DamageError, UnicodeDecodeError)
_TROUBLE = (apsw.Error, OSError, DamageError, UnicodeDecodeError)


class FactIndexActor(Actor):
    """Index of entries: keeps their rows and vectors, and finds the nearest.

    Owns: `facts/index.sqlite` in the data root, all of which can be made again.
    Asks: no actor; tells the facts when the index was replaced.
    Crashes on: its own faults. A file that is gone, locked, full or damaged is no crash: requests meanwhile are refused
    with the reason, and the file is tried again with the next request; a damaged one is moved aside.
    """

    def __init__(self, data_root: Path | None) -> None:
        """Nothing is opened yet.

        Args:
            data_root: Folder of the data; None to keep nothing beyond the process.
        """
        super().__init__()
        self._path = None if data_root is None else data_root / FOLDER / FILE
        self._store: FactStore | None = None
        self._known: tuple[int, int] | None = None
        """(device, inode) of the file that was open last; None before the first."""
        self._trouble = ""
        self._is_damaged = False
        """True if damage was found, so that the next opening begins anew."""
        self._tidying: Timer | None = None
        self._changed_at = 0.0

    def on_stop(self) -> None:
        """Let go of the file."""
        self._close()

    def handle(self, message: IndexMessage) -> None:
        """Answer; what cannot be done is refused."""
        match message:
            case IndexTidyDue():
                self._tidy()
            case _ if flaw := flaw_of(message):
                self._refuse(message, flaw)
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case LoadRows():
                self._answer(message, lambda store: RowsLoaded(request_id=message.request_id, rows=store.rows()))
            case FetchRows():
                self._answer(
                    message, lambda store: RowsFetched(request_id=message.request_id, rows=store.fetch(message))
                )
            case ChangeRows():
                self._answer(message, lambda store: self._change(store, message))
            case FindRows():
                self._answer(message, lambda store: RowsFound(request_id=message.request_id, rows=store.find(message)))
            case _:
                not_understood(message)

    def _change(self, store: FactStore, message: ChangeRows) -> RowsChanged:
        store.change(message)
        self._changed_at = self.monotonic()
        if self._tidying is None:
            self._tidying = self.after(TIDY_S, IndexTidyDue())
        return RowsChanged(request_id=message.request_id)

    def _answer(self, message: IndexCommand, do: Callable[[FactStore], Message]) -> None:
        try:
            with self.blocking():
                answer = do(self._opened())
        except RowError as error:
            self._be_well()
            self._refuse(message, str(error))
        except UnicodeEncodeError as error:
            self._refuse(message, f"{type(message).__name__}: what is not Unicode cannot be kept: {error}")
        except _TROUBLE as error:
            self._refuse(message, f"the facts' index cannot be used: {self._be_in_trouble(error)}")
        else:
            self._be_well()
            self.tell(message.reply_to, answer)

    def _tidy(self) -> None:
        """Take what was written lately into the database; whatever is wrong, the next request will meet it."""
        rest_s = self._changed_at + TIDY_S - self.monotonic()
        self._tidying = self.after(rest_s, IndexTidyDue()) if rest_s > 0 else None
        if self._store is None or rest_s > 0:
            return
        try:
            with self.blocking():
                self._store.tidy()
        except (apsw.Error, OSError) as error:
            log.info("the facts' index's WAL stays as it is for now: %s", error)

    # the file

    def _opened(self) -> FactStore:
        """The store, opened anew if its file is not there any more."""
        if self._store is not None and not self._store.is_in_place:
            log.warning("the facts' index is not there any more, or another one is: it is opened anew")
            self._close()
        if self._store is None:
            self._store = FactStore(self._path, self.now(), is_damaged=self._is_damaged)
            self._is_damaged = False
            if self._known is not None and (self._store.is_new or self._store.inode != self._known):
                self.tell(FACTS, IndexBegun())
            self._known = self._store.inode
        return self._store

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            try:
                store.close()
            except (apsw.Error, OSError) as error:
                log.info("the facts' index could not be closed in good order: %s", error)

    # trouble

    def _be_in_trouble(self, error: Exception) -> str:
        """Note an error, and return its description. The file stays open if busy or full."""
        is_damage = isinstance(error, _DAMAGE)
        self._is_damaged = self._is_damaged or is_damage
        is_passing = isinstance(error, apsw.BusyError | apsw.FullError)
        if not is_passing or (self._store is not None and self._store.is_in_transaction):
            self._close()
        if not self._trouble:
            log.warning("the facts' index cannot be used, which is tried again with each request: %s", error)
        self._trouble = f"it is damaged: {error}" if is_damage else str(error)
        return self._trouble

    def _be_well(self) -> None:
        if self._trouble:
            log.info("the facts' index can be used again")
        self._trouble = ""

    def _refuse(self, message: IndexCommand | DescribeYourself, reason: str) -> None:
        self.tell(message.reply_to, Refused(request_id=message.request_id, reason=reason))

    def _description(self, message: DescribeYourself) -> SelfDescription:
        counts: tuple[tuple[str, int], ...] = ()
        try:
            with self.blocking():
                counts = self._opened().figures()
        except _TROUBLE as error:
            self._be_in_trouble(error)
        else:
            self._be_well()
        return SelfDescription(
            request_id=message.request_id,
            about=self.address.kind,
            figures=(("state", "in trouble" if self._trouble else "ready"),),
            operator_figures=(*counts, ("trouble", self._trouble or "none")),
        )
