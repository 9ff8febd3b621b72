"""ForgetActor: counts the events of a request, and takes the events out of the logs and all rooms."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from msgspec.structs import replace

from actors.forget.config import FOLDER, ForgetConfig
from actors.forget.execution import Execution
from actors.forget.journal import Entry, ForgetJournal, Target
from actors.forget.resolution import Resolution, Resolved
from actors.forget.retention import Retention
from actors.forget.state import PREVIEW_S, Preview, RequestState
from actors.kernel import Actor, not_understood
from domain.log.window import times_of_messages
from domain.policy.forgetting.repeatable import repetitions_since
from domain.policy.forgetting.rights import (
    NO_SUCH_MESSAGE,
    NOT_YOURS,
    NOTHING,
    Asker,
    asker_of,
    excerpts,
    list_repeatable,
    people,
    refusal,
)
from messages.base import Message, RequestId, UserId, Window
from messages.forget import (
    CarryOutForget,
    DerivedForgotten,
    EventsForgotten,
    ForgetCarriedOut,
    ForgetExpired,
    ForgetMessage,
    ForgetPreviewed,
    ForgetRecord,
    ForgetsListed,
    ForgetState,
    ForgettableListed,
    ListForgets,
    PreviewForget,
    Scope,
    ScopeKind,
    WindowCount,
)
from messages.memory import MemoriesFound
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

OF_OPERATOR = Asker(account="", is_operator=True)
LONGEST_PAUSE_S = 43_200.0
"""Pause after which repetitions are looked for no more; the pauses double."""
GONE = "that was counted too long ago, by another person, or with other rights than now; please ask once more"
OPERATOR = "operator"


class ForgetActor(Actor):
    """Owner of the forget requests.

    Owns: `forget/` in the data root; a request is on the disk before any word is taken out.
    Asks: the memory for topics, windows for their events, windows and rooms to take events out.
    Crashes on: its own faults; a later life goes on with every unfinished request.
    """

    def __init__(self, config: ForgetConfig, state: RequestState) -> None:
        super().__init__()
        self._config = config
        self._state = state
        self._journal = ForgetJournal(config.data_root / FOLDER, config.disk)
        self._under_way: dict[str, Execution] = {}
        self._retention = Retention(self, config)

    def on_start(self) -> None:
        """Go on with work left unfinished by an earlier life."""
        if not self._config.resumes:
            return
        self._retention.begin()
        for entry in self._entries():
            if not entry.is_done:
                log.info("forget request %s goes on", entry.forget_id)
                self._execute(entry)

    def handle(self, message: ForgetMessage) -> None:
        """Count, forget or list."""
        match message:
            case PreviewForget():
                self._preview(message)
            case CarryOutForget():
                self._carry_out(message)
            case ForgetExpired():
                self._retention.serve(message)
            case ListForgets():
                self._list(message)
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message.request_id))
            case EventsForgotten():
                self._take_late(message)
            case ForgettableListed() | DerivedForgotten() | ForgetCarriedOut() | MemoriesFound() | Refused():
                return  # An answer behind its deadline: its question is asked again.
            case _:
                not_understood(message)

    # previews

    def _preview(self, message: PreviewForget) -> None:
        scope = message.scope
        asker = self._asker(message)
        if reason := refusal(scope, asker):
            self._refuse(message, reason)
            return
        Resolution(self, self._config, scope, asker, partial(self._take_preview, message, asker)).begin()

    def _asker(self, message: PreviewForget | CarryOutForget) -> Asker:
        operators, manages = self._config.operators, message.manages_messages
        return asker_of(message.asked_by, operators, message.window, manages_messages=manages)

    def _take_preview(self, message: PreviewForget, asker: Asker, resolved: Resolved | str) -> None:
        if isinstance(events := _require_events(resolved), str):
            self._refuse(message, events)
            return
        entry = self._entry(events, message.asked_by or OPERATOR)
        self._state.keep(Preview(entry, asker, self.monotonic() + PREVIEW_S))
        self.tell(message.reply_to, _make_preview(message.request_id, entry.forget_id, events))

    def _entry(self, resolved: Resolved, by: str, why: str = "") -> Entry:
        scope = resolved.scope
        targets = [
            Target(window=window, event_ids=tuple(event.event_id for event in events))
            for window, events in resolved.events.items()
            if not (resolved.is_whole and window == scope.window)
        ]
        whole = (Target(window=scope.window, event_ids=(), is_whole=True),) if resolved.is_whole else ()
        record = ForgetRecord(
            forget_id=self.new_id(),
            kind=scope.kind,
            window=scope.window.address.key,
            state=ForgetState.RESOLVED,
            by=by,
            why=why,
            asked_at=self.now(),
            done_at=None,
            rooms=(),
        )
        person_id = scope.person_id if scope.kind is ScopeKind.PERSON else ""
        return Entry(record=record, person_id=UserId(person_id), targets=(*whole, *targets))

    # carrying out

    def _carry_out(self, message: CarryOutForget) -> None:
        if message.scope is not None and not message.asked_by:
            self._carry_out_at_once(message, message.scope)
            return
        if message.preview_id in self._under_way:
            self._state.await_end(message.preview_id, message)
            return
        preview = self._state.previews.get(message.preview_id)
        if preview is None or preview.until_s < self.monotonic() or preview.asker != self._asker(message):
            self._answer_again(message)
            return
        entry = preview.entry.with_record(asked_at=self.now(), why=message.why)
        if self._begin(entry, preview.asker, message):
            self._state.previews.pop(message.preview_id, None)

    def _answer_again(self, message: CarryOutForget) -> None:
        """Report the result of a finished request."""
        with self.blocking():
            entry = self._journal.read(message.preview_id)
        if entry is not None and entry.record.by == (message.asked_by or OPERATOR):
            self.tell(message.reply_to, self._carried_out(message.request_id, entry))
        else:
            self._refuse(message, GONE)

    def _carry_out_at_once(self, message: CarryOutForget, scope: Scope) -> None:
        Resolution(self, self._config, scope, OF_OPERATOR, partial(self._take_resolved, message)).begin()

    def _take_resolved(self, message: CarryOutForget, resolved: Resolved | str) -> None:
        if isinstance(events := _require_events(resolved), str):
            self._refuse(message, events)
        else:
            self._begin(self._entry(events, message.by or OPERATOR, message.why), OF_OPERATOR, message)

    def _begin(self, entry: Entry, asker: Asker, message: CarryOutForget) -> bool:
        """Put a request on the disk and begin; False if the disk refuses."""
        if entry.record.kind is not ScopeKind.EXPIRED:  # newer repetitions of expired words stay
            entry = replace(entry, asker=asker)
        try:
            with self.blocking():
                self._journal.write(entry)
        except OSError as error:
            with self.blocking():
                self._journal.withdraw(entry)
            self._refuse(
                message, f"nothing is forgotten, because the record of the request cannot be written: {error.strerror}"
            )
            return False
        self._state.await_end(entry.forget_id, message)
        self._execute(entry)
        return True

    def _execute(self, entry: Entry) -> None:
        """Carry out a request; of a request with an asker, look afterwards for repetitions of the words meanwhile."""
        execution = Execution(self, self._config, self._journal, entry, self._take_progress)
        self._under_way[entry.forget_id] = execution
        execution.begin()

    def _take_late(self, answer: EventsForgotten) -> None:
        """Take the words of an answer behind its deadline; the window is asked again."""
        if (execution := self._under_way.get(answer.forget_id)) is not None:
            execution.note_texts(answer)

    def _take_progress(self, entry: Entry) -> None:
        """Answer the waiting requesters: work done, and work left."""
        for message in self._state.askers.pop(entry.forget_id, {}).values():
            self.tell(message.reply_to, self._carried_out(message.request_id, entry))
        done = self._under_way.pop(entry.forget_id, None) if entry.is_done else None
        if done is not None and done.asker is not None:
            self._look_again(entry, done.asker, done, self._config.retry_s)

    def _look_again(self, entry: Entry, asker: Asker, done: Execution, pause_s: float) -> None:
        """Forget copies and repetitions made since the count, for example in an answer elsewhere or a new thread.

        Args:
            entry: The request.
            asker: Requester.
            done: Finished work on the request.
            pause_s: Pause before the next look, if a window does not answer or the disk is full.
        """
        scope = Scope(kind=ScopeKind.REPEATED, window=Window.from_key(entry.record.window))

        def take(resolved: Resolved | str) -> None:
            if reason := self._forget_repeated(entry, resolved):
                self._put_off_look(entry, reason, pause_s, lambda: self._look_again(entry, asker, done, 2 * pause_s))

        since = repetitions_since(
            entry.record.asked_at - timedelta(seconds=PREVIEW_S),
            times_of_messages(each for ids in done.message_ids.values() for each in ids),
        )
        resolution = Resolution(self, self._config, scope, asker, take)
        resolution.look_again(done.message_ids, list_repeatable(done.texts), since)

    def _put_off_look(self, entry: Entry, reason: str, pause_s: float, look: Callable[[], None]) -> None:
        """Look again later, for about a day."""
        if pause_s > LONGEST_PAUSE_S:
            log.error("forget request %s: repetitions may stay: %s", entry.forget_id, reason)
            return
        log.warning("forget request %s: repetitions stay for now: %s", entry.forget_id, reason)
        self.wait(pause_s, look)

    def _forget_repeated(self, entry: Entry, resolved: Resolved | str) -> str:
        """Begin to take out copies and repetitions; the reason if impossible now, else empty."""
        if isinstance(resolved, str):
            return resolved
        if not resolved.count:
            return ""
        again = self._entry(resolved, entry.record.by, entry.record.why)
        try:
            with self.blocking():
                self._journal.write(again)
        except OSError as error:
            return f"no record of them can be written: {error.strerror}"
        self._execute(again)
        return ""

    def _carried_out(self, request_id: RequestId, entry: Entry) -> ForgetCarriedOut:
        record = entry.record
        return ForgetCarriedOut(
            request_id=request_id,
            forget_id=record.forget_id,
            events=sum(each.count for each in record.rooms if each.room == "logs"),
            rooms=record.rooms,
            elsewhere=self._config.elsewhere,
            waiting_for=record.waiting_for,
        )

    # records

    def _list(self, message: ListForgets) -> None:
        entries = [self._latest(entry).record for entry in self._entries()]
        self.tell(message.reply_to, ForgetsListed(request_id=message.request_id, forgets=tuple(reversed(entries))))

    def _latest(self, entry: Entry) -> Entry:
        execution = self._under_way.get(entry.forget_id)
        return entry if execution is None else execution.entry

    def _entries(self) -> list[Entry]:
        try:
            with self.blocking():
                return self._journal.entries()
        except OSError as error:
            log.error("the records of forget requests cannot be read: %s", error)
            return []

    def _description(self, request_id: RequestId) -> Message:
        figures = (("requests_under_way", len(self._under_way)), ("previews", len(self._state.previews)))
        return SelfDescription(request_id=request_id, about=self.address.kind, figures=(), operator_figures=figures)

    def _refuse(self, message: PreviewForget | CarryOutForget, reason: str) -> None:
        self.tell(message.reply_to, Refused(request_id=message.request_id, reason=reason))


def _require_events(resolved: Resolved | str) -> Resolved | str:
    """The resolution, if there is anything to forget; else the reason for a refusal."""
    if isinstance(resolved, str) or resolved.count or resolved.is_whole:
        return resolved
    if resolved.scope.kind is not ScopeKind.MESSAGE:
        return NOTHING
    return NOT_YOURS if resolved.withheld else NO_SUCH_MESSAGE


def _make_preview(request_id: RequestId, preview_id: str, resolved: Resolved) -> ForgetPreviewed:
    events = [event for each in resolved.events.values() for event in each]
    readable = [event for window, each in resolved.events.items() for event in each if window in resolved.readable]
    return ForgetPreviewed(
        request_id=request_id,
        preview_id=preview_id,
        kind=resolved.scope.kind,
        events=resolved.count,
        windows=tuple(WindowCount(window=window, events=len(each)) for window, each in resolved.events.items()),
        people=people(events),
        excerpts=excerpts(readable),
        repeated=resolved.repeated,
        withheld=resolved.withheld,
        is_partial=resolved.is_partial,
    )
