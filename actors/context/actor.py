"""Actor of a window: log, history and the turn in hand."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from actors.context.config import ContextConfig
from actors.context.deliveries import Deliveries
from actors.context.endings import Endings
from actors.context.forgetting import Forgetting
from actors.context.log.descriptor import is_stale
from actors.context.log.journal import Journal, LogUnwritable
from actors.context.model_choice import ModelChoice
from actors.context.news import News
from actors.context.pinning import Pinning
from actors.context.postings import Postings
from actors.context.presence import Presence
from actors.context.requests import CHANGES, REFUSABLE, PartRequests
from actors.context.retraction import Retraction, RetractionCommand
from actors.context.turn_driver import TurnDriver
from actors.context.turn_run import TurnRun
from actors.context.user_event import confirmation, news_of, not_stored, overheard_meta, storage_failure
from actors.kernel import Actor, NotUnderstoodError, Then
from domain.log.event import Kind, event
from domain.log.metadata import MetaValue
from domain.turn.carried import carried_over
from domain.turn.conversation import Conversation
from domain.turn.speaker import shown_name
from domain.turn.turn import Turn, asked_before
from domain.turn.typed_command import says_stop
from messages.base import Address, Message, MessageId, RequestId, TurnId, Window
from messages.context import (
    AddressChecked,
    CheckAddress,
    ChooseModel,
    ContextMessage,
    LookDue,
    NewWindowStarted,
    PinMemory,
    RestoreRedactions,
    ResumeWindow,
    RetractMessages,
    ReviseMessage,
    RuntimePosted,
    StartNewWindow,
    StatusDue,
    StopTurn,
    TellKeptMessages,
    TellUsage,
    TurnStopped,
    TypingDue,
    UnpinMemory,
    UserMessage,
)
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused
from messages.forget import EndShown, ForgetEvents, ListForgettable
from messages.past import KeepPast
from messages.socket import Refused
from messages.turn import CompactWindow, CountUsage, LoggedEvent, SpokenTurn, TellAsker, TellSpoken

log = logging.getLogger(__name__)

TAKEN_BACK = "its message was deleted"
REOPEN_AFTER_S = 60.0
"""Seconds until a window with an unwritable log tries to write again."""


class ContextActor(Actor):
    """Owner of a window's conversation, with one turn at a time; messages that come meanwhile wait or join the turn.

    Owns: the window's log file, the history, the turn in hand.
    Asks: contributors for blocks, the model for answers, the shell for commands, the surface to show things.
    Crashes on: any defect. The next incarnation rebuilds everything from the log and finishes open work.
    """

    def __init__(self, window: Window, journal: Journal, config: ContextConfig) -> None:
        super().__init__()
        self.window = window
        self.surface: Address = config.surface
        self._journal = journal
        self._config = config
        self._presence = Presence(self, streams=config.streams, reacts=config.reacts)
        self._choice = ModelChoice(self, config.models, config.rules)
        self._driver = TurnDriver(
            self,
            config,
            presence=self._presence,
            choice=self._choice,
            on_boundary=self._join_waiting,
            on_end=self._turn_ended,
        )
        self._news = News(self, config.takers(window, config.subscribers))
        self._pinning = Pinning(self, journal, self._news)
        self._retraction = Retraction(self, journal, self._news, self._driver.running)
        self._postings = Postings(self, journal, self._driver.running)
        self._waiting: list[TurnId] = []
        self._requests = PartRequests(self, journal, self._driver)
        self._deliveries = Deliveries(self, self._presence)
        self._endings = Endings(self, presence=self._presence, news=self._news, deliveries=self._deliveries)
        self._forgetting = Forgetting(self, journal, self._driver, self._endings, self._retraction, config.rules)
        self._unwritable = ""
        """Reason why the log cannot be written; empty if writable."""
        self._begun: TurnId | None = None
        """Turn in hand at the loss of the log, empty for no turn; None before this life has opened the log."""
        self._reopening = RequestId("")
        self._undeleted: dict[MessageId, None] = {}
        """Deleted messages whose words no log could take back; taken back before anything else is answered."""

    @property
    def conversation(self) -> Conversation:
        """Conversation as recorded in the window's log."""
        return self._journal.conversation

    @property
    def log_path(self) -> str:
        """Path of the log below the data root; empty without a log."""
        return self._journal.path

    def read_spoken(self, path: str, first: TurnId, last: TurnId) -> tuple[SpokenTurn, ...]:
        """Words of a section of a log of the window, as far as readable."""
        with self.blocking():
            return self._requests.read_spoken(path, first, last)

    def on_start(self) -> None:
        """Read the log, if there is one, and continue at its end."""
        self._attempt(self._open, None)

    def on_stop(self) -> None:
        """Release the log; unfinished work is recorded there."""
        self._driver.drop()
        try:
            self._retraction.end()
        except LogUnwritable as error:
            log.warning("%s: new words of edited messages are not noted: %s", self.address, error.reason)
        finally:
            self._journal.close()

    def handle(self, message: ContextMessage) -> None:
        """Act on `message`; an unwritable log stops the turn, never the actor."""
        self._attempt(partial(self._dispatch, message), message)

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Take an answer as `handle` takes a message."""
        self._attempt(partial(then, answer), answer)

    def _attempt(self, act: Callable[[], None], message: Message | None, *, is_first: bool = True) -> None:
        try:
            act()
            self._endings.end_off_record(self._journal)
        except LogUnwritable as error:
            self._lose_log(error)
            if isinstance(message, UserMessage) and is_first and is_stale(error):
                self._attempt(act, message, is_first=False)  # opens the log again
            elif isinstance(message, UserMessage):
                self._refuse(message)
            elif isinstance(message, REFUSABLE):
                self.tell(message.reply_to, Refused(request_id=message.request_id, reason=error.reason))
            elif isinstance(message, RetractMessages):
                self._undeleted |= dict.fromkeys(message.message_ids)
            elif isinstance(message, ReviseMessage):
                self._retraction.keep(message)
        self.in_progress = bool(self._turns_in_hand or self._deliveries) or self._driver.compaction.is_busy
        self.is_unfinished = bool(self._unwritable) or self._retraction.is_waiting

    def record(
        self, kind: Kind, content: str, meta: Mapping[str, MetaValue], *, sync: bool, at: datetime | None = None
    ) -> LoggedEvent:
        """Append an event to the log and to the conversation; with `sync` the event is on the disk afterwards.

        Raises:
            LogUnwritable: the event is not stored, and no event can be until the log is opened again.
        """
        fresh = event(self.new_id(), at or self.now(), kind, content, meta)
        with self.blocking():
            position = self._journal.write(fresh, sync=sync)
        return news_of(fresh, position.path, position.line)

    def _dispatch(self, message: ContextMessage) -> None:
        if self._unwritable and isinstance(message, UserMessage | ResumeWindow | CHANGES):
            if isinstance(message, UserMessage | ResumeWindow):
                self.surface = message.reply_to
            self._open()
        match message:
            case UserMessage():
                self._take_in(message)
            case StartNewWindow():
                self._start_new_window(message)
            case ResumeWindow():  # Being activated did the work, unless the log could not be opened then.
                self.surface = message.reply_to
            case StopTurn():
                self._stop_turn(message)
            case ChooseModel():
                self._choose_model(message)
            case TellUsage():
                self.tell(message.reply_to, self._choice.usage(message))
            case CheckAddress():
                is_written = message.url in self.conversation.addresses
                self.tell(message.reply_to, AddressChecked(request_id=message.request_id, is_written=is_written))
            case PinMemory() | UnpinMemory():
                self._pin(message)
            case RetractMessages() | ReviseMessage() | RestoreRedactions() | LookDue():
                self._retract(message)
            case ListForgettable() | ForgetEvents() | EndShown():
                waiting, self._waiting = self._waiting, []
                self._waiting = [*self._forgetting.handle(message, waiting), *self._waiting]
                self._begin_next()
            case StatusDue() | TypingDue():
                self._presence.due(message)
            case CompactWindow() | TellSpoken() | CountUsage() | TellAsker() | KeepPast() | TellKeptMessages():
                self._requests.handle(message, is_idle=not self._turns_in_hand)
            case Delivered() | DeliveryFailed() | DeliveryRefused():
                self._deliveries.handle(message)
            case RuntimePosted():
                self._postings.note(message, is_writable=not self._unwritable)
            case _:
                if not self._driver.take(message):
                    raise NotUnderstoodError(message)

    def _open(self) -> None:
        with self.blocking():
            self._journal.open()
            self._journal.end_before(self._endings.last_words)
        self._requests.note_opened()
        self._unwritable = ""
        self._pick_up()

    def _pick_up(self) -> None:
        """Resume earlier work: postings, undelivered texts, the interrupted turn, then the rest."""
        self._postings.write()
        self._endings.pay_debts(self._journal.off_record.interrupted)
        self._endings.tell_again(self._journal, self._begun)
        for turn_id, words in self._journal.turn_events.questions(self.conversation):
            self._news.hold_question(turn_id, *words)
        self._endings.finish_stopped()
        self._waiting = self._endings.take_up(self._begun, may_wait=self._config.resumes_calls)
        self._begun = TurnId("")
        if self._undeleted:
            self._retract(RetractMessages(window=self.window, message_ids=tuple(self._undeleted)))
            self._undeleted.clear()
        self._retraction.go_on()
        self._begin_next()

    def _lose_log(self, error: LogUnwritable) -> None:
        """Stop all work that needs storage; try again in a while."""
        self._unwritable = error.reason
        self._begun = self._driver.running() or self._begun
        self._driver.drop()
        self._driver.compaction.forget()
        self._waiting.clear()
        self._news.forget()
        self._journal.close()
        self.withdraw(self._reopening)
        resume = partial(self._dispatch, ResumeWindow(window=self.window, reply_to=self.surface))
        self._reopening = self.wait(REOPEN_AFTER_S, resume)  # stays in memory until then, with all that no log has

    def _refuse(self, message: UserMessage) -> None:
        """Tell the person that the message was not stored and cannot be logged; the surface looks for it again."""
        self._requests.note_unlogged(message.message_id)
        self.tell(message.reply_to, storage_failure(message))
        if message.wants_answer:
            self.tell(self.surface, not_stored(message, self._unwritable, self.address))

    def _take_in(self, message: UserMessage) -> None:
        """Log a message once; answer it in its turn."""
        self.surface = message.reply_to
        if self._journal.has_logged(message.message_id) or self._forgetting.is_forgotten(message):
            self.tell(message.reply_to, confirmation(message))
            return
        self._require_log(message.author_id)
        stops = self._stopped_by(message)
        is_overheard = bool(stops) or not message.wants_answer
        meta = self._forgetting.meta_of(message)
        if is_overheard:
            meta |= overheard_meta(message, stops, self.conversation.open_count)
        logged = self.record(Kind.USER, message.text, meta, sync=True, at=message.sent_at)
        self.tell(message.reply_to, confirmation(message))
        if is_overheard:
            self._news.event_logged(logged, message.audience)
            self._deliveries.begin(logged.id)
        else:
            turn_id = TurnId(logged.id)
            self._news.hold_question(turn_id, logged)
            self._waiting.append(turn_id)
            self._begin_next()
        if stops:
            self._abort_all(f"stopped by {shown_name(message.author_name)}", before=message.message_id)

    def _stopped_by(self, message: UserMessage) -> tuple[TurnId, ...]:
        """Turns stopped by a message whose text is only the stop word; a word that comes late stops no later turn."""
        is_stop = not message.attachments and says_stop(message.text)
        return asked_before(message.message_id, map(self.conversation.turn, self._turns_in_hand)) if is_stop else ()

    @property
    def _turns_in_hand(self) -> tuple[TurnId, ...]:
        """The running turn, then waiting turns."""
        return (*filter(None, (self._driver.running(),)), *self._waiting)

    def _require_log(self, opened_by: str) -> None:
        """Begin the window's first log, unless the window has a log."""
        if not self._journal.is_open:
            with self.blocking():
                self._journal.start(self.now(), opened_by=opened_by)

    def _start_new_window(self, message: StartNewWindow) -> None:
        """Continue in a new log with an empty history and the undelivered texts; end running and waiting turns."""
        end, previous = partial(self._abort_all, f"a new window was started by {message.asked_by}"), self.log_path
        carried = [
            event(self.new_id(), self.now(), Kind.SYSTEM, words, meta)
            for words, meta in (*carried_over(self.conversation), *self._choice.carry_over(message.asked_by))
        ]
        with self.blocking():
            path = self._journal.start(self.now(), message.asked_by, carried, last_words=end)
            self._journal.end_before(self._endings.last_words)
        self._driver.drop()  # Nothing, unless the old log took no more words at first.
        self._driver.compaction.forget()
        self._news.forget()
        self._news.window_begun(path, previous)
        self.tell(message.reply_to, NewWindowStarted(request_id=message.request_id, path=path))

    def _pin(self, command: PinMemory | UnpinMemory) -> None:
        if isinstance(command, UnpinMemory):
            self._pinning.unpin(command)
            return
        self._require_log(command.asked_by)
        self._pinning.pin(command)

    def _retract(self, command: RetractionCommand) -> None:
        """Give up turns opened by deleted messages, then forget the messages; edited questions may begin in between."""
        deleted = set(command.message_ids) if isinstance(command, RetractMessages) else set()
        gone = {t.id for t in self.conversation.open_turns() if not deleted.isdisjoint((t.message_id, *t.joined))}
        waiting, self._waiting = self._waiting, []
        self._endings.leave_unanswered([turn_id for turn_id in waiting if turn_id in gone], TAKEN_BACK)
        if self._driver.run is not None and self._driver.run.turn_id in gone:
            self._driver.abort(TAKEN_BACK, leaves_words=False)
        self._retraction.handle(command)
        self._waiting = [turn_id for turn_id in (*waiting, *self._waiting) if turn_id not in gone]
        self._begin_next()

    def _choose_model(self, command: ChooseModel) -> None:
        if self._choice.is_news(command):
            self._require_log(command.asked_by)
        self.tell(command.reply_to, self._choice.choose(command))

    def _stop_turn(self, command: StopTurn) -> None:
        run = self._driver.run
        if run is None or (command.turn_id and command.turn_id != run.turn_id):
            what = "that answer is no longer in progress" if command.turn_id else "no answer is in progress"
            self.tell(command.reply_to, Refused(request_id=command.request_id, reason=what))
            return
        reason = f"stopped by {shown_name(command.asked_by)}"
        meta: dict[str, MetaValue] = {"what": "stopped", "stops": list[MetaValue](self._turns_in_hand)}
        self.record(Kind.SYSTEM, reason, meta, sync=False)
        self._abort_all(reason)
        self.tell(command.reply_to, TurnStopped(request_id=command.request_id, turn_id=run.turn_id))

    def _abort_all(self, reason: str, before: str = "") -> None:
        """End the turns in hand, or those asked before a message; an end may make an edited message a question."""
        while stops := asked_before(before, map(self.conversation.turn, self._turns_in_hand)):
            self._waiting = [turn_id for turn_id in self._waiting if turn_id not in stops]
            self._endings.leave_unanswered([turn_id for turn_id in stops if turn_id != self._driver.running()], reason)
            if self._driver.running() in stops:
                self._driver.abort(reason)

    def _begin_next(self) -> None:
        self._waiting = self._retraction.requeue(self._waiting)
        if self._driver.run is None and (ready := self._retraction.first_ready(self._waiting)) is not None:
            self._waiting.remove(ready)
            self._driver.begin(ready)

    def _join_waiting(self, run: TurnRun) -> list[Turn]:
        """Join messages that came during `run` to the run, as far as allowed; return the joined turns in order."""
        turn = self.conversation.turn(run.turn_id)
        joined: list[Turn] = []
        while self._config.mid_turn == "steer" and self._waiting:
            other = self.conversation.turn(self._waiting[0])
            is_held = self._retraction.has_new_words(other.id) or self.conversation.is_overgrown(turn.id, other.id)
            if is_held or not turn.may_be_joined_by(other):
                break
            self._waiting.pop(0)
            run.logged.extend(self._news.take_question(other.id))
            meta: dict[str, MetaValue] = {"turn": run.turn_id, "what": "joined", "message": other.id}
            run.logged.append(self.record(Kind.SYSTEM, "what was said meanwhile joins the turn", meta, sync=False))
            joined.append(other)
        return joined

    def _turn_ended(self, run: TurnRun, outcome: str) -> None:
        """Show the notices and the last logged event, tell subscribers, and begin the next turn."""
        for notice in run.notices:
            self._deliveries.begin(notice)
        if outcome != "aborted":
            self._deliveries.begin(run.logged[-1].id)
        self._news.turn_ended(run.turn_id, outcome, run.audience, run.logged)
        self._retraction.go_on()
        self._begin_next()
