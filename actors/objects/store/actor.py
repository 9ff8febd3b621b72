"""ObjectStoreActor: sole owner of the stored versions of windows' files and outputs."""

from __future__ import annotations

import logging
from pathlib import Path

from actors.kernel import not_understood
from actors.memory.derived.owner import DatabaseActor
from actors.objects.store.bounds import StoreLimits
from actors.objects.store.database import SCHEMA
from actors.objects.store.store import ForgottenTurns, ObjectStore
from messages.base import flaw_of
from messages.forget import DerivedForgotten, ForgetDerived, answer_derived
from messages.objects import (
    OBJECT_STORE,
    CollectObjects,
    FetchText,
    ListOutputs,
    ListVersions,
    LoadObjects,
    RoundStored,
    StoreMessage,
    StoreRound,
    TextFetched,
)
from messages.status import DescribeYourself

log = logging.getLogger(__name__)

FILES_STAY = "files that commands wrote into the window's working folder stay, with their later versions"


class ObjectStoreActor(DatabaseActor[ObjectStore]):
    """Store of rounds of windows' objects.

    Owns: `objects/objects.sqlite` in the data root.
    Asks: no actor.
    Crashes on: its own faults; trouble with the file is no crash.
    """

    def __init__(self, data_root: Path | None, limits: StoreLimits) -> None:
        """Begin without a store.

        Args:
            data_root: Folder of the data; None to keep nothing beyond the process.
            limits: Limits of the stored data.
        """
        path = None if data_root is None else SCHEMA.path(data_root)
        forgotten = ForgottenTurns()

        def open_store(is_doubtful: bool) -> ObjectStore:
            return ObjectStore(path, limits, self.now(), is_doubtful=is_doubtful, forgotten=forgotten)

        super().__init__(SCHEMA, open_store)
        self._said_damage = False

    def handle(self, message: StoreMessage | ForgetDerived) -> None:
        """Answer a request, or refuse an impossible request."""
        match message:
            case _ if flaw := flaw_of(message):
                self.refuse(message, flaw)
            case DescribeYourself():
                self.describe(message)
            case LoadObjects():
                self.answer(message, lambda store: store.load(message))
            case StoreRound():
                self.answer(message, lambda store: self._keep(store, message))
                self.tidy_later()
            case FetchText():
                self.answer(message, lambda store: self._fetch(store, message))
            case ListVersions():
                self.answer(message, lambda store: store.versions(message))
            case ListOutputs():
                self.answer(message, lambda store: store.outputs(message))
            case CollectObjects():
                self.answer(message, lambda store: store.collect(message, self.now()))
            case ForgetDerived():
                self.answer(message, lambda store: self._forget(store, message))
            case _:
                not_understood(message)

    @staticmethod
    def _keep(store: ObjectStore, message: StoreRound) -> RoundStored:
        store.keep(message)
        return RoundStored(request_id=message.request_id, round=message.round)

    @staticmethod
    def _forget(store: ObjectStore, message: ForgetDerived) -> DerivedForgotten:
        count = store.forget(message)
        return answer_derived(message, OBJECT_STORE.kind, count, FILES_STAY if count else "")

    def _fetch(self, store: ObjectStore, message: FetchText) -> TextFetched:
        fetched = store.fetch(message)
        if store.damaged_texts and not self._said_damage:
            self._said_damage = True
            log.warning("a text in the object store was altered and is not used")
        return fetched
