"""The owner of one window: its log, its history and the turn in hand."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import datetime
from typing import assert_never

from actors.context.config import ContextConfig
from actors.context.deliveries import Deliveries
from actors.context.journal import Journal, LogUnwritable
from actors.context.turn_driver import INTERRUPTED, TurnDriver
from actors.context.turn_run import TurnRun
from actors.kernel import Actor, Timer
from domain.conversation import Conversation, Debt
from domain.log_event import Kind, event
from domain.log_metadata import MetaValue
from messages.base import Address, RequestId, TurnId, Window
from messages.context import (
    AbortTurn,
    ContextMessage,
    ContributionsDue,
    DeliveryDue,
    NewWindowRefused,
    NewWindowStarted,
    ResumeWindow,
    StartNewWindow,
    StepOverdue,
    UserMessage,
)
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage
from messages.model import ModelDelta, ModelFailed, ModelReply
from messages.shell import BashRefused, BashResult
from messages.turn import LoggedEvent, TurnContribution, TurnEnded

REOPEN_AFTER_S = 60.0
"""How soon a window whose log could not be written looks whether it can be written again."""


class ContextActor(Actor):
    """Holds one window's conversation, one turn at a time; messages that come meanwhile wait as follow-ups.

    Owns: the window's log file, the history, the turn in hand.
    Asks: contributors for blocks, the model for answers, the shell for commands, the surface to show things.
    Crashes on: any defect. The next incarnation rebuilds everything from the log and finishes what was begun.
    """

    def __init__(self, window: Window, journal: Journal, config: ContextConfig) -> None:
        super().__init__()
        self.window = window
        self.surface: Address = config.surface
        self._journal = journal
        self._config = config
        self._driver = TurnDriver(self, config, self._turn_ended)
        self._waiting: deque[TurnId] = deque()
        self._deliveries = Deliveries()
        self._unwritable = ""
        """Why nothing can be stored; empty when all is well."""
        self._reopening: Timer | None = None
        self._asked: dict[TurnId, LoggedEvent] = {}
        """What was logged of the person's words, for turns that wait or run."""

    @property
    def conversation(self) -> Conversation:
        """What the log of this window means."""
        return self._journal.conversation

    def on_start(self) -> None:
        """Read the log, if there is one, and go on where it ends."""
        try:
            self._open()
        except LogUnwritable as error:
            self._lose_log(error)

    def on_stop(self) -> None:
        """Let go of the log; what was not finished is in it."""
        self._driver.drop()
        self._journal.close()

    def handle(self, message: ContextMessage) -> None:
        """Act on `message`; a log that cannot be written stops the turn, never the actor."""
        try:
            self._dispatch(message)
        except LogUnwritable as error:
            self._lose_log(error)
            if isinstance(message, UserMessage):
                self._refuse(message)
            elif isinstance(message, StartNewWindow):
                self.tell(message.reply_to, NewWindowRefused(request_id=message.request_id, reason=error.reason))
        self.in_progress = self._driver.run is not None or bool(self._waiting) or bool(self._deliveries)

    def record(
        self,
        kind: Kind,
        content: str,
        meta: Mapping[str, MetaValue],
        *,
        sync: bool,
        at: datetime | None = None,
    ) -> LoggedEvent:
        """Append an event to the log and to the conversation; it is on the disk when `sync` is asked for.

        Raises:
            LogUnwritable: it is not stored, and nothing more can be until the log is opened again.
        """
        made = event(self.new_id(), at or self.now(), kind, content, meta)
        with self.blocking():
            position = self._journal.write(made, sync=sync)
        author = str(meta.get("author", "")) or kind.value
        return LoggedEvent(
            id=made.id, kind=kind.value, path=position.path, line=position.line, at=made.at, author=author, text=content
        )

    def _dispatch(self, message: ContextMessage) -> None:
        match message:
            case UserMessage():
                self._take_in(message)
            case StartNewWindow():
                self._start_new_window(message)
            case ResumeWindow():
                self._resume(message)
            case AbortTurn():
                self._abort(message)
            case TurnContribution():
                self._driver.contributed(message)
            case ContributionsDue():
                self._driver.preparation_over(message)
            case StepOverdue():
                self._driver.overdue(message)
            case ModelDelta():
                return  # shown live by a later layer; the final text is posted in any case
            case ModelReply():
                self._driver.replied(message)
            case ModelFailed():
                self._driver.model_failed(message)
            case BashResult():
                self._driver.bash_ended(message)
            case BashRefused():
                self._driver.bash_refused(message)
            case Delivered():
                self._delivered(message)
            case DeliveryFailed():
                self._delivery_failed(message)
            case DeliveryRefused():
                self._delivery_refused(message)
            case DeliveryDue():
                self._deliver_again(message)
            case _:
                assert_never(message)

    # opening and losing the log

    def _open(self) -> None:
        with self.blocking():
            self._journal.open()
        self._unwritable = ""
        self._pick_up()

    def _pick_up(self) -> None:
        """Pay what is owed from an earlier life: undelivered texts, then the turn that was cut short, then the rest."""
        for debt in self.conversation.debts():
            self._deliver(debt, look_first=True)
        open_turns = self.conversation.open_turns()
        self._waiting = deque(turn.id for turn in open_turns)
        if open_turns:
            first = open_turns[0]
            for call in tuple(first.unanswered_calls.values()):
                meta: dict[str, MetaValue] = {
                    "turn": first.id,
                    "call_id": call.id,
                    "tool": call.name,
                    "error": True,
                    "outcome": "interrupted",
                }
                self.record(Kind.TOOL_RESULT, INTERRUPTED, meta, sync=False)
            if first.was_resumed:
                self._waiting.popleft()
                self._give_up(first.id)
            else:
                self.record(
                    Kind.SYSTEM, "picked up after an interruption", {"turn": first.id, "what": "resumed"}, sync=True
                )
        self.in_progress = bool(open_turns) or bool(self._deliveries)
        self._begin_next()

    def _give_up(self, turn_id: TurnId) -> None:
        """Close a turn that was interrupted even when it was picked up again."""
        notice = "I was interrupted twice while answering this, so I stopped trying. Please ask again."
        logged = self.record(Kind.SYSTEM, notice, {"turn": turn_id, "what": "failed", "notice": True}, sync=True)
        self._deliver_event(logged)

    def _lose_log(self, error: LogUnwritable) -> None:
        """Stop everything that would need to be stored; look again in a while."""
        self._unwritable = error.reason
        self._driver.drop()
        self._waiting.clear()
        self._asked.clear()
        self._journal.close()
        if self._reopening is not None:
            self._reopening.cancel()
        self._reopening = self.after(REOPEN_AFTER_S, ResumeWindow(window=self.window, reply_to=self.surface))

    def _refuse(self, message: UserMessage) -> None:
        """Tell the person that the message was not stored; this notice itself cannot be logged."""
        notice = f"I cannot store messages of this window at the moment, so I do not answer: {self._unwritable}"
        self.tell(
            self.surface,
            PostMessage(
                request_id=RequestId(f"refusal-{message.message_id}"),
                reply_to=self.address,
                window=self.window,
                text=notice,
                nonce=f"x{message.message_id[-18:]}",
                answers_message_id=message.message_id,
            ),
        )

    # what people ask

    def _take_in(self, message: UserMessage) -> None:
        """Log what was said, once; answer it when its turn comes."""
        self.surface = message.reply_to
        if self._unwritable:
            self._open()
        if message.message_id.isdecimal() and message.message_id in self.conversation.seen:
            return
        if not self._journal.is_open:
            with self.blocking():
                self._journal.start(self.now(), opened_by=message.author_id)
        logged = self.record(Kind.USER, message.text, _user_meta(message), sync=True, at=message.sent_at)
        turn_id = TurnId(logged.id)
        self._asked[turn_id] = logged
        self._waiting.append(turn_id)
        self._begin_next()

    def _resume(self, message: ResumeWindow) -> None:
        """Being activated did the work, unless the log could not be opened then."""
        self.surface = message.reply_to
        if self._unwritable:
            self._open()

    def _start_new_window(self, message: StartNewWindow) -> None:
        """End what runs, mark what waited as unanswered, and go on in a new log with an empty history."""
        if self._unwritable:
            self._open()
        self._abort_all(f"a new window was started by {message.asked_by}")
        with self.blocking():
            path = self._journal.start(self.now(), opened_by=message.asked_by)
        self._deliveries = Deliveries()
        self.tell(message.reply_to, NewWindowStarted(request_id=message.request_id, path=path))

    def _abort(self, message: AbortTurn) -> None:
        if self._driver.run is not None:
            self._driver.abort(f"stopped by {message.asked_by}")

    def _abort_all(self, reason: str) -> None:
        waiting, self._waiting = self._waiting, deque()
        self._driver.abort(reason)
        for turn_id in waiting:
            self.record(Kind.SYSTEM, f"unanswered: {reason}", {"turn": turn_id, "what": "aborted"}, sync=True)

    # turns

    def _begin_next(self) -> None:
        if self._driver.run is None and self._waiting:
            self._driver.begin(self._waiting.popleft())

    def _turn_ended(self, run: TurnRun, outcome: str) -> None:
        """Show the last thing that was logged, tell subscribers, and begin the next turn."""
        if outcome != "aborted":
            self._deliver_event(run.logged[-1])
        asked = self._asked.pop(run.turn_id, None)
        events = (*((asked,) if asked else ()), *run.logged)
        ended = TurnEnded(window=self.window, turn_id=run.turn_id, outcome=outcome, ended_at=self.now(), events=events)
        for subscriber in self._config.subscribers:
            self.tell(subscriber, ended)
        self._begin_next()

    # deliveries

    def _deliver_event(self, logged: LoggedEvent) -> None:
        debt = next((debt for debt in self.conversation.debts() if debt.event_id == logged.id), None)
        if debt is not None:
            self._deliver(debt)

    def _deliver(self, debt: Debt, *, look_first: bool = False) -> None:
        request_id = self._deliveries.begin(debt)
        if request_id is not None:
            self._post(request_id, debt, look_first=look_first)

    def _post(self, request_id: RequestId, debt: Debt, *, look_first: bool) -> None:
        self.tell(
            self.surface,
            PostMessage(
                request_id=request_id,
                reply_to=self.address,
                window=self.window,
                text=debt.text,
                nonce=debt.event_id,
                answers_message_id=debt.answers_message_id,
                look_first=look_first,
            ),
        )

    def _delivered(self, message: Delivered) -> None:
        debt = self._deliveries.finish(message.request_id)
        if debt is not None:
            self._settle(debt, {"message_ids": list(message.message_ids)})

    def _delivery_refused(self, message: DeliveryRefused) -> None:
        debt = self._deliveries.finish(message.request_id)
        if debt is not None:
            self._settle(debt, {"refused": message.reason})

    def _settle(self, debt: Debt, meta: Mapping[str, MetaValue]) -> None:
        """Log that a text is not owed any more, with what is still to do, so that a look at the log's end suffices."""
        still_open = len(self.conversation.open_turns()) + len(self.conversation.debts()) - 1
        self.record(Kind.DELIVERY, "", {"event": debt.event_id, "open": still_open, **meta}, sync=False)

    def _delivery_failed(self, message: DeliveryFailed) -> None:
        retry_in_s = self._deliveries.retry_in_s(message.request_id)
        if retry_in_s is not None:
            self.after(retry_in_s, DeliveryDue(request_id=message.request_id))

    def _deliver_again(self, message: DeliveryDue) -> None:
        debt = self._deliveries.debt(message.request_id)
        if debt is not None:
            self._post(message.request_id, debt, look_first=True)


def _user_meta(message: UserMessage) -> dict[str, MetaValue]:
    meta: dict[str, MetaValue] = {
        "author": message.author_name,
        "author_id": message.author_id,
        "message_id": message.message_id,
    }
    if message.reply_to_message_id:
        meta["reply_to"] = message.reply_to_message_id
    if message.attachments:
        meta["attachments"] = [
            {"filename": item.filename, "url": item.url, "size": item.size_bytes} for item in message.attachments
        ]
    return meta
