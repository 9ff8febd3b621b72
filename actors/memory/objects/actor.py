"""ObjectStoreActor: sole owner of what is kept of windows' files and outputs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from actors.kernel import Actor, Timer, not_understood
from actors.memory.objects.bounds import StoreLimits
from actors.memory.objects.database import FILE, FOLDER
from actors.memory.objects.store import ObjectStore
from actors.memory.objects.values import RefusalError
from messages.base import Message, flaw_of
from messages.object_store import (
    CollectObjects,
    FetchText,
    ListOutputs,
    ListVersions,
    LoadObjects,
    RoundStored,
    StoreCommand,
    StoreMessage,
    StoreRound,
    TidyDue,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

TIDY_S = 2.0
"""Seconds without a change after which the WAL is written into the database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreConfig:
    """Folder of the store, and its limits."""

    data_root: Path | None
    """Folder of the data; None to keep nothing beyond the process."""
    limits: StoreLimits


class ObjectStoreActor(Actor):
    """Store of rounds of windows' objects.

    Owns: `objects/objects.sqlite` in the data root.
    Asks: no actor.
    Crashes on: its own faults. A file that is gone, locked, full or damaged is no crash: requests meanwhile are refused
    with the reason, and the file is tried again with the next request; a damaged one is moved aside.
    """

    def __init__(self, config: StoreConfig) -> None:
        super().__init__()
        self._config = config
        self._store: ObjectStore | None = None
        self._trouble = ""
        self._is_doubtful = False
        """True if damage was found, so that the next opening compares everything."""
        self._said_damage = False
        self._tidying: Timer | None = None
        self._kept_at = 0.0

    def on_stop(self) -> None:
        """Let go of the file."""
        self._close()

    def handle(self, message: StoreMessage) -> None:
        """Answer; what cannot be done is refused."""
        match message:
            case TidyDue():
                self._tidy()
            case _ if flaw := flaw_of(message):
                self._refuse(message, flaw)
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case LoadObjects():
                self._answer(message, lambda store: store.load(message))
            case StoreRound():
                self._answer(message, lambda store: self._keep(store, message))
                self._kept_at = self.monotonic()
                if self._tidying is None:
                    self._tidying = self.after(TIDY_S, TidyDue())
            case FetchText():
                self._answer(message, lambda store: store.fetch(message))
            case ListVersions():
                self._answer(message, lambda store: store.versions(message))
            case ListOutputs():
                self._answer(message, lambda store: store.outputs(message))
            case CollectObjects():
                self._answer(message, lambda store: store.collect(message, self.now()))
            case _:
                not_understood(message)

    def _answer(self, message: StoreCommand, do: Callable[[ObjectStore], Message]) -> None:
        try:
            with self.blocking():
                answer = do(self._opened())
        except RefusalError as error:
            self._be_well()
            self._refuse(message, str(error))
        except UnicodeEncodeError as error:
            self._refuse(message, f"{type(message).__name__}: what is not Unicode cannot be kept: {error}")
        except (apsw.Error, OSError) as error:
            self._refuse(message, f"the object store cannot be used: {self._be_in_trouble(error)}")
        else:
            self._be_well()
            self.tell(message.reply_to, answer)

    @staticmethod
    def _keep(store: ObjectStore, message: StoreRound) -> RoundStored:
        store.keep(message)
        return RoundStored(request_id=message.request_id, round=message.round)

    def _tidy(self) -> None:
        """Take what was written lately into the database; whatever is wrong, the next request will meet it."""
        rest_s = self._kept_at + TIDY_S - self.monotonic()
        self._tidying = self.after(rest_s, TidyDue()) if rest_s > 0 else None
        if self._store is None or rest_s > 0:
            return
        try:
            with self.blocking():
                self._store.tidy()
        except (apsw.Error, OSError) as error:
            log.info("the object store's WAL stays as it is for now: %s", error)

    # the file

    def _opened(self) -> ObjectStore:
        """The store, opened anew if its file is not there any more."""
        if self._store is not None and not self._store.is_in_place:
            log.warning("the object store's file is not there any more, or another one is: it is opened anew")
            self._close()
        if self._store is None:
            root = self._config.data_root
            path = None if root is None else root / FOLDER / FILE
            self._store = ObjectStore(path, self._config.limits, self.now(), is_doubtful=self._is_doubtful)
            self._is_doubtful = False
        return self._store

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            try:
                store.close()
            except apsw.Error as error:
                log.info("the object store could not be closed in good order: %s", error)

    # trouble

    def _be_in_trouble(self, error: apsw.Error | OSError) -> str:
        """Note an error, and return its description. The file stays open if busy or full."""
        is_damage = isinstance(error, apsw.CorruptError | apsw.NotADBError)
        self._is_doubtful = self._is_doubtful or is_damage
        is_passing = isinstance(error, apsw.BusyError | apsw.FullError)
        if not is_passing or (self._store is not None and self._store.is_in_transaction):
            self._close()
        if not self._trouble:
            log.warning("the object store cannot be used, which is tried again with each request: %s", error)
        self._trouble = f"it is damaged: {error}" if is_damage else str(error)
        return self._trouble

    def _be_well(self) -> None:
        if self._trouble:
            log.info("the object store can be used again")
        self._trouble = ""
        if self._store is not None and self._store.damaged_texts and not self._said_damage:
            self._said_damage = True
            log.warning("a text in the object store is not what was kept, and is given to nobody")

    def _refuse(self, message: StoreCommand, reason: str) -> None:
        self.tell(message.reply_to, Refused(request_id=message.request_id, reason=reason))

    def _description(self, message: DescribeYourself) -> SelfDescription:
        counts: tuple[tuple[str, int], ...] = ()
        try:
            with self.blocking():
                counts = self._opened().figures()
        except (apsw.Error, OSError) as error:
            self._be_in_trouble(error)
        else:
            self._be_well()
        return SelfDescription(
            request_id=message.request_id,
            about=self.address.kind,
            figures=(("state", "in trouble" if self._trouble else "ready"),),
            operator_figures=(*counts, ("trouble", self._trouble or "none")),
        )
