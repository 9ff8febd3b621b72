"""FactIndexActor: sole owner of the facts' index."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import apsw

from actors.kernel import Actor, not_understood
from actors.memory.facts.database import FILE, FOLDER
from actors.memory.facts.store import FactStore, RowError
from messages.base import Message, flaw_of
from messages.facts import (
    FACTS,
    ChangeRows,
    FetchRows,
    FindRows,
    IndexBegun,
    IndexCommand,
    LoadRows,
    RowsChanged,
    RowsFetched,
    RowsFound,
    RowsLoaded,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)


class FactIndexActor(Actor):
    """Rows and vectors of entries: keeps them, and finds the nearest.

    Owns: `facts/index.sqlite` in the data root, all of which can be made again.
    Asks: nobody.
    Crashes on: its own faults. A file that is gone, locked, full or damaged is no crash: what is asked meanwhile is
    refused with the reason, and the file is tried again with the next request; a damaged one is moved aside.
    """

    def __init__(self, data_root: Path | None) -> None:
        """Nothing is opened yet.

        Args:
            data_root: Where the file is; None where nothing outlives the process.
        """
        super().__init__()
        self._path = None if data_root is None else data_root / FOLDER / FILE
        self._store: FactStore | None = None
        self._trouble = ""
        self._is_doubtful = False
        self._was_open = False

    def on_stop(self) -> None:
        """Let go of the file."""
        self._close()

    def handle(self, message: IndexCommand | DescribeYourself) -> None:
        """Answer; what cannot be done is refused."""
        match message:
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case _ if flaw := flaw_of(message):
                self._refuse(message, flaw)
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

    @staticmethod
    def _change(store: FactStore, message: ChangeRows) -> RowsChanged:
        store.change(message)
        return RowsChanged(request_id=message.request_id)

    def _answer(self, message: IndexCommand, do: Callable[[FactStore], Message]) -> None:
        try:
            with self.blocking():
                answer = do(self._opened())
        except (RowError, UnicodeEncodeError) as error:
            self._refuse(message, str(error))
        except (apsw.Error, OSError) as error:
            self._be_in_trouble(error)
            self._refuse(message, f"the facts' index cannot be used: {self._trouble}")
        else:
            self._trouble = ""
            self.tell(message.reply_to, answer)

    def _refuse(self, message: IndexCommand, reason: str) -> None:
        self.tell(message.reply_to, Refused(request_id=message.request_id, reason=reason))

    def _opened(self) -> FactStore:
        """The store, opened anew if its file is not there any more."""
        if self._store is not None and not self._store.is_in_place:
            log.warning("the facts' index is not there any more, or another one is: it is opened anew")
            self._close()
        if self._store is None:
            self._store = FactStore(self._path, self.now(), is_doubtful=self._is_doubtful)
            self._is_doubtful = False
            if self._was_open:
                self.tell(FACTS, IndexBegun())
            self._was_open = True
        return self._store

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            try:
                store.close()
            except apsw.Error as error:
                log.info("the facts' index could not be closed in good order: %s", error)

    def _be_in_trouble(self, error: apsw.Error | OSError) -> None:
        """Note what is the matter, and let go of the file; the next request opens it."""
        self._is_doubtful = self._is_doubtful or isinstance(error, apsw.CorruptError | apsw.NotADBError)
        if not self._trouble:
            log.warning("the facts' index cannot be used, which is tried again with each request: %s", error)
        self._trouble = str(error)
        if not isinstance(error, apsw.BusyError):
            self._close()

    def _description(self, message: DescribeYourself) -> SelfDescription:
        counts: tuple[tuple[str, int], ...] = ()
        try:
            with self.blocking():
                counts = self._opened().figures()
        except (apsw.Error, OSError) as error:
            self._be_in_trouble(error)
        return SelfDescription(
            request_id=message.request_id,
            about=self.address.kind,
            figures=(("state", "in trouble" if self._trouble else "ready"),),
            operator_figures=(*counts, ("trouble", self._trouble or "none")),
        )
