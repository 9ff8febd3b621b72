"""ObjectsActor: the files and outputs of a window, and their form in requests."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from functools import partial

import msgspec

from actors.kernel import Actor, NotUnderstoodError, Then, Timer
from actors.objects.answers import RefusalError, list_objects
from actors.objects.config import ObjectsConfig
from actors.objects.observer import Observer
from actors.objects.record import Record
from actors.objects.round import Round
from actors.objects.shown_texts import ShownTexts
from actors.objects.store_client import Answer, StoreClient
from actors.objects.switching import read_file, switch
from actors.objects.telling import Telling
from domain.objects import wording
from domain.objects.ageing import end_round
from domain.objects.entries import RoundEnded
from domain.objects.entries import decode as entries_of
from domain.objects.state import WindowObjects
from domain.objects.state import decode as state_of
from domain.objects.state import encode as state_data
from messages.base import Message, Window
from messages.objects import (
    DiffObject,
    KeepDue,
    ListObjects,
    LoadObjects,
    ObjectDone,
    ObjectsLoaded,
    ObjectsMessage,
    ObjectsRequest,
    ReadObject,
    RoundStored,
    ShowObject,
    StoreReply,
    StoreRound,
    SwitchObject,
    TellHistory,
)
from messages.socket import Refused
from messages.turn import RequestWorded, WordRequest

log = logging.getLogger(__name__)

SNAPSHOT_EVERY = 64
"""Rounds between two snapshots of the state; a snapshot spares a later life the folding of all rounds."""
MOST_WAITING = 100
"""Most waiting requests of scripts."""
NOT_STORED = "it could not be stored, so nothing was changed: {reason}"
NOT_ANSWERED = "the object store did not answer in time"
UNCERTAIN = f"{NOT_ANSWERED}, so it is not certain whether this outlives a crash; list shows what is in force"
LOADS = 3
"""Successive failed loads, after which a window begins without its known objects."""
APART = 1_000_000
"""First number of objects in a state begun without known objects, so no number means two objects."""
RETRY_S = 5.0
"""Seconds until the store is asked again to keep a round."""


class ObjectsActor(Actor):
    """Words the requests of one window, and answers questions of the window's scripts about objects.

    Owns: the state of the window's files and outputs, and the choice of texts for requests; no file.
    Asks: the object store, to keep each round before a request is worded, and to return the rounds to the next life.
    Crashes on: its own faults. The next life loads the stored state, and takes in the rest from the next request; the
    window goes on meanwhile. A missing, locked or full store stops nothing: unstored rounds are kept in memory.
    """

    def __init__(self, window: Window, config: ObjectsConfig) -> None:
        super().__init__()
        self.window = window
        self._config = config
        folder = config.folder_of(window)
        self._observer = Observer(folder, config.max_files)
        record = Record(config.data_root)
        self._texts = ShownTexts(self._observer.looking, record)
        self._store = StoreClient(self, config.store)
        self._telling = Telling(self, self._store, record, config.answer_deadline_s)
        self._waiting: deque[WordRequest | ObjectsRequest] = deque()
        self._objects: WindowObjects | None = None
        self._last_round = 0
        """Number of the store's newest round."""
        self._since_snapshot = 0
        self._round: Round | None = None
        """Changes not yet in the store."""
        self._failed_loads = 0
        self._is_apart = False
        """True if the window began without its stored state."""
        self._retry: Timer | None = None

    def handle(self, message: ObjectsMessage) -> None:
        """Take requests in turn; each is stored and answered before the next begins."""
        match message:
            case WordRequest():
                # A repeated request replaces the earlier request.
                self._waiting = deque(each for each in self._waiting if not isinstance(each, WordRequest))
                self._waiting.appendleft(message)
            case ReadObject() | SwitchObject() | ListObjects() | TellHistory() | ShowObject() | DiffObject():
                if len(self._waiting) >= MOST_WAITING:
                    self._refuse(message, f"{MOST_WAITING} requests wait already, and no more may")
                    return
                self._waiting.append(message)
            case KeepDue():
                self._retry = None
                self._keep_again()
            case _ if isinstance(message, Refused | StoreReply):
                self._store.note_late_reply()
            case _:
                raise NotUnderstoodError(message)
        self._work_off()

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Take an answer of the store, then the next requests."""
        then(answer)
        self._work_off()

    def _work_off(self) -> None:
        while self._waiting and not self._store.is_waiting:
            self._next()
        self.in_progress = bool(self._waiting) or self._store.is_waiting or self._has_unkept

    def _next(self) -> None:
        request = self._waiting.popleft()
        if self._objects is None:
            self._load(request)
        else:
            self._do(request)

    def _do(self, request: WordRequest | ObjectsRequest) -> None:
        match request:
            case WordRequest():
                self._word(request)
            case ReadObject() | SwitchObject():
                self._change(request)
            case ListObjects() if self._is_apart:
                self._refuse(request, f"the objects of this window cannot be loaded: {self._store.trouble}")
            case ListObjects():
                self._list(request)
            case TellHistory() | ShowObject() | DiffObject():
                self._telling.begin(self.objects, request)

    # the state

    @property
    def objects(self) -> WindowObjects:
        """The loaded state."""
        if self._objects is None:
            raise RuntimeError("the state is not loaded")
        return self._objects

    @property
    def _has_unkept(self) -> bool:
        """True if the store lacks a change."""
        return self._round is not None and bool(self._round.entries)

    def _load(self, request: WordRequest | ObjectsRequest) -> None:
        """Load the state of the window, then carry out the request.

        A store that does not answer may have the state all the same: requests are refused a few times, then the
        window begins without the state, with other numbers.
        """

        def take_state(reply: Answer | None) -> None:
            if isinstance(reply, ObjectsLoaded):
                self._adopt(reply)
                self._do(request)
                return
            self._failed_loads += 1
            if self._failed_loads < LOADS:
                reason = reply.reason if isinstance(reply, Refused) else NOT_ANSWERED
                self._refuse(request, f"the objects of this window cannot be loaded: {reason}")
                return
            self._objects = WindowObjects(last_file=APART, last_output=APART)
            self._is_apart = True
            self._do(request)

        is_first = not self._failed_loads
        deadline_s = self._config.first_load_deadline_s if is_first else self._config.store_deadline_s
        self._store.inquire(partial(LoadObjects, window=self.window), deadline_s, take_state)

    def _keep(self, then: Callable[[str], None], again: Callable[[], None]) -> None:
        """Have the store keep the round.

        Args:
            then: Called with the reason of a failure; with empty text after a success.
            again: Called instead when the store has another state, which this actor has taken over.
        """
        round_ = self._open_round()
        number = self._last_round + 1
        is_due = self._since_snapshot + 1 >= SNAPSHOT_EVERY
        data, snapshot = round_.data(), state_data(self.objects) if is_due else b""
        make = partial(
            StoreRound,
            window=self.window,
            round=number,
            entries=data,
            versions=tuple(round_.versions),
            outputs=tuple(round_.outputs),
            showings=tuple(round_.showings),
            snapshot=snapshot,
        )

        def take_reply(reply: Answer | None) -> None:
            if isinstance(reply, RoundStored):
                self._last_round, self._round, self._is_apart = number, None, False
                self._since_snapshot = 0 if is_due else self._since_snapshot + 1
                then("")
            elif reply is None:
                then(NOT_ANSWERED)
                self._retry_later()
            else:
                self._compare(reply.reason if isinstance(reply, Refused) else "", then, again)

        self._store.inquire(make, self._store.patience_s(self._config.store_deadline_s), take_reply)

    def _compare(self, reason: str, then: Callable[[str], None], again: Callable[[], None]) -> None:
        """After a refused round: take over the store's state if it is not the expected state."""

        def take_state(reply: Answer | None) -> None:
            if isinstance(reply, ObjectsLoaded) and reply.last_round != self._last_round:
                log.warning(
                    "%s: the store has %d rounds instead of %d: the store's state counts from now on",
                    self.address,
                    reply.last_round,
                    self._last_round,
                )
                self._adopt(reply)
                again()
            else:
                then(reason)
                self._retry_later()

        make = partial(LoadObjects, window=self.window)
        self._store.inquire(make, self._store.patience_s(self._config.store_deadline_s), take_state)

    def _retry_later(self) -> None:
        if self._retry is None and self._has_unkept:
            self._retry = self.after(RETRY_S, KeepDue())

    def _keep_again(self) -> None:
        """Have the store keep a refused round; another state of the store counts from the next request on."""
        if self._has_unkept and not self._waiting and not self._store.is_waiting:
            self._keep(lambda _reason: None, lambda: None)
        else:
            self._retry_later()

    def _adopt(self, loaded: ObjectsLoaded) -> None:
        self._last_round, self._round, self._since_snapshot = loaded.last_round, None, len(loaded.rounds)
        self._failed_loads, self._is_apart = 0, False
        objects = _fold_rounds(loaded, self._config, self.window)
        if objects is None:
            # The next round takes the place of what cannot be read, and no number is given away twice.
            objects = WindowObjects(last_file=loaded.last_file, last_output=loaded.last_output)
            self._since_snapshot = SNAPSHOT_EVERY
        self._objects = objects

    def _open_round(self) -> Round:
        if self._round is None:
            self._round = Round(self.objects)
        return self._round

    # requests

    def _word(self, request: WordRequest, *, is_last: bool = False) -> None:
        """Take in changes, keep them, and give the wording of the request."""
        round_ = self._open_round()
        try:
            with self.blocking():
                ended = self._observer.fold(round_, request, self.now())
                if ended is not None:
                    round_.end(ended, self._config.keep, self.now())
                texts = self._texts.of(self.objects, request)
        except OSError as error:  # The machine has no means left; what was taken in so far is as it is.
            self._refuse(request, f"the window's folder cannot be looked at now: {error.strerror}")
            self._retry_later()
            return

        def reply(_reason: str = "") -> None:
            printed = {call.event: call.text for turn in request.turns for call in turn.calls}
            worded = RequestWorded(
                request_id=request.request_id,
                results=tuple(wording.results(self.objects, printed, texts)),
                notes=tuple(wording.notes(self.objects, texts)),
            )
            self.tell(request.reply_to, worded)

        if round_.entries:
            self._keep(reply, reply if is_last else lambda: self._word(request, is_last=True))
        else:
            self._round = None
            reply()

    def _change(self, request: ReadObject | SwitchObject, *, is_last: bool = False) -> None:
        """Carry out a script's request; the answer follows once the change is kept, else the change is undone."""
        round_, before = self._open_round(), state_data(self.objects)
        mark = round_.mark()
        try:
            if isinstance(request, ReadObject):
                with self.blocking():
                    steps = read_file(round_, self._observer, request, self.now())
            else:
                steps = switch(round_, request)
        except (RefusalError, OSError) as error:  # The latter when the machine has no means left.
            self._undo(round_, mark, before)
            self._refuse(request, str(error))
            return

        def then(reason: str) -> None:
            if reason == NOT_ANSWERED:
                self._refuse(request, UNCERTAIN)
            elif reason:
                self._undo(round_, mark, before)
                self._refuse(request, NOT_STORED.format(reason=reason))
            else:
                self.tell(request.reply_to, ObjectDone(request_id=request.request_id, steps=steps))

        def again() -> None:
            if is_last:
                self._refuse(request, NOT_STORED.format(reason="the store is not what it was"))
            else:
                self._change(request, is_last=True)

        self._keep(then, again)

    def _undo(self, round_: Round, mark: tuple[int, ...], before: bytes) -> None:
        self._objects = state_of(before)
        round_.return_to(mark, self._objects)

    def _list(self, request: ListObjects) -> None:
        try:
            self.tell(request.reply_to, list_objects(self.objects, request))
        except RefusalError as error:
            self._refuse(request, str(error))

    def _refuse(self, request: WordRequest | ObjectsRequest, reason: str) -> None:
        self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))


def _fold_rounds(loaded: ObjectsLoaded, config: ObjectsConfig, window: Window) -> WindowObjects | None:
    """State by the store's rounds; None for unreadable rounds."""
    try:
        objects = state_of(loaded.snapshot) if loaded.snapshot else WindowObjects()
        for data in loaded.rounds:
            for entry in entries_of(data):
                if isinstance(entry, RoundEnded):
                    end_round(objects, entry, config.keep)
                else:
                    objects.apply(entry)
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        log.warning("%s: its saved objects cannot be read and start empty: %s", window.address.key, error)
        return None
    return objects
