"""ApprovalActor: asks a person by buttons before an act, and keeps the question until a decision or timeout."""

from __future__ import annotations

import logging
from functools import partial

from msgspec.structs import replace

from actors.approval.commands import POST_PREFIX, question_post
from actors.approval.config import ApprovalConfig
from actors.approval.notes import QuestionNotes
from actors.approval.state import ApprovalState, OpenQuestion
from actors.kernel import Actor, not_understood
from domain.policy import approval as wording
from domain.policy.approval import MOST_OPEN, Decision, Question
from messages.base import RequestId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, EndButtons
from messages.forget import ForgetDerived, answer_derived
from messages.shell import (
    ASKERS,
    ApprovalCommand,
    ApprovalDecided,
    ApprovalEvent,
    ApprovalGranted,
    ApprovalRefused,
    ApprovalsListed,
    AskApproval,
    AskersLost,
    DecideApproval,
    ListApprovals,
    OpenApproval,
    QuestionDeleted,
    WithdrawApproval,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import AskerTold, EventsLogged, SubscriberMessage, TellAsker, TurnEnded

log = logging.getLogger(__name__)

ASKER_S = 30.0
"""Longest wait for the window's report on the asker; the window may have to read a log first."""
LATE_S = 60.0
"""Least time after a start in which askers may still hear about the end of a question."""
RETRY_S = 30.0
"""Seconds before another attempt to post a question after a failure."""
OVERDUE_S = 60.0
"""Seconds to wait for the surface's report on a question; then the question is posted again, without effect if still
under way.
"""

Delivery = Delivered | DeliveryFailed | DeliveryRefused
Incoming = ApprovalCommand | ApprovalEvent | AskerTold | SubscriberMessage | Delivery | DescribeYourself | ForgetDerived


class ApprovalActor(Actor):
    """Owner of the open questions: an act waits for its question, and no other work waits.

    Owns: the notes of open questions. A question is on the disk before the message is shown, and the note is gone
    before the act is granted, so a kill loses no question and no grant counts twice.
    Asks: windows, for the message being answered; the surface, to show questions.
    Crashes on: internal faults; questions and askers outlive a crash.
    """

    def __init__(self, config: ApprovalConfig, state: ApprovalState) -> None:
        super().__init__()
        self._config = config
        self._state = state
        self._notes = None if config.folder is None else QuestionNotes(config.folder, config.disk)

    def on_start(self) -> None:
        """Go on with the questions of an earlier life; show a question again unless the message is still there."""
        self._read_earlier()
        self.follow(ASKERS)
        for each in list(self._state.open.values()):
            each.again_id = None
            self._await_end(each, LATE_S)
            if not each.message_id and each.question.decision is Decision.OPEN:
                self._post(each, look_first=True)
        for request in self._state.asking.values():
            self._ask_window(request)

    def handle(self, message: Incoming) -> None:
        """Ask, decide, or end a question."""
        match message:
            case AskApproval():
                self._take(message)
            case WithdrawApproval(request_id=request_id):
                self._withdraw(request_id)
                self._take_back(request_id)
            case DecideApproval():
                self._decide(message)
            case ListApprovals():
                self.tell(message.reply_to, self._listing(message.request_id))
            case TurnEnded():
                self._end_turn(message)
            case QuestionDeleted():
                self._end_deleted(message)
            case AskersLost(askers=askers):
                for request in [*self._state.asking.values(), *(each.asker for each in self._state.open.values())]:
                    if request is not None and request.reply_to in askers:
                        self._withdraw(request.request_id)
            case Delivered() | DeliveryFailed() | DeliveryRefused():
                self._note_delivery(message)
            case ForgetDerived():
                self._forget_turns(message)
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message.request_id))
            case AskerTold() | EventsLogged():
                return  # An answer behind its deadline; and events that belong to no turn end no question.
            case _:
                not_understood(message)

    # askers

    def _take(self, request: AskApproval) -> None:
        waits = (each.asker.request_id for each in self._state.open.values() if each.asker is not None)
        if request.request_id in self._state.asking or request.request_id in waits:
            return
        self._state.asking[request.request_id] = request
        self._ask_window(request)

    def _ask_window(self, request: AskApproval) -> None:
        make = partial(TellAsker, window=request.window)
        self.ask(request.window.address, make, ASKER_S, partial(self._take_asker, request))

    def _take_asker(self, request: AskApproval, asker: AskerTold | None) -> None:
        """Wait for the open question about the same act, or ask a new question."""
        if self._state.asking.pop(request.request_id, None) is None:
            return
        if asker is None:
            self._refuse(request, wording.NO_ASKER)
            return
        earlier = self._match_open(request, asker)
        if earlier is not None:
            earlier.asker = request
            if self._is_over(earlier):
                self._expire(earlier.question.id)
            elif earlier.question.decision is not Decision.OPEN:
                self._use_decision(earlier)
        elif request.is_again:
            self.tell(
                request.reply_to,
                ApprovalRefused(request_id=request.request_id, reason=wording.TURN_OVER, is_unknown=True),
            )
        elif sum(each.question.window == request.window for each in self._state.open.values()) >= MOST_OPEN:
            self._refuse(request, wording.TOO_MANY.format(most=MOST_OPEN))
        else:
            self._open(request, asker)

    def _match_open(self, request: AskApproval, asker: AskerTold) -> OpenQuestion | None:
        """Question about the same act in the same turn for which no asker waits."""
        about = (request.window, asker.turn_id, request.kind, request.text)
        return next(
            (each for each in self._state.open.values() if each.asker is None and each.question.is_about(*about)), None
        )

    def _open(self, request: AskApproval, asker: AskerTold) -> None:
        question = Question(
            id=self.new_token(),
            window=request.window,
            turn_id=asker.turn_id,
            asked_by=asker.asked_by,
            message_id=asker.message_id,
            kind=request.kind,
            text=request.text,
            asked_at=self.now(),
        )
        if reason := self._keep(question):
            self._refuse(request, wording.NOT_STORED.format(reason=reason))
            return
        each = self._state.open[question.id] = OpenQuestion(question, request)
        self._await_end(each)
        self._post(each)

    def _withdraw(self, request_id: RequestId) -> None:
        """Release an asker; the question stays for a later asker until the turn ends."""
        self._state.asking.pop(request_id, None)
        for each in self._state.open.values():
            if each.asker is not None and each.asker.request_id == request_id:
                each.asker = None

    def _take_back(self, request_id: RequestId) -> None:
        """Keep a grant for a later asker: an asker withdraws only a request without an answer read so far."""
        granted = self._state.granted.pop(request_id, None)
        if granted is not None and not self._keep(granted):
            each = self._state.open[granted.id] = OpenQuestion(granted)
            self._await_end(each)

    def _refuse(self, request: AskApproval, reason: str) -> None:
        self.tell(request.reply_to, ApprovalRefused(request_id=request.request_id, reason=reason))

    # decisions

    def _decide(self, message: DecideApproval) -> None:
        each = self._state.open.get(message.id)
        if each is None or self._is_over(each):
            fault = wording.IS_OVER if message.decided_by else wording.NOT_OPEN.format(id=message.id)
        elif not each.question.may_be_decided_by(message.decided_by, self._config.operators):
            log.warning("question %s: a press by account %s is refused", message.id, message.decided_by)
            fault = wording.NOT_YOURS
        elif each.question.decision is not Decision.OPEN:
            fault = wording.IS_DECIDED
        else:
            fault = self._carry_out(each, message)
        if fault:
            self.tell(message.reply_to, Refused(request_id=message.request_id, reason=fault))

    def _carry_out(self, each: OpenQuestion, message: DecideApproval) -> str:
        """Record a decision and tell the asker; return the reason for a failure, empty on success."""
        decision = Decision.GRANTED if message.grants else Decision.REFUSED
        decided = replace(each.question, decision=decision)
        is_awaited = each.asker is not None
        if reason := self._keep(decided):
            return reason
        each.question = decided
        if is_awaited and (reason := self._use_decision(each, message.reason)):
            self._end_message(each, "This could not be stored: refused.")
            return reason
        self._end_message(each, wording.decided_by(message.decided_by, grants=message.grants))
        reply = ApprovalDecided(request_id=message.request_id, granted=message.grants, is_awaited=is_awaited)
        self.tell(message.reply_to, reply)
        return ""

    def _use_decision(self, each: OpenQuestion, reason: str = "") -> str:
        """Tell the asker the decision once the note is gone; return the reason for a failure, empty on success."""
        request, grants = each.asker, each.question.decision is Decision.GRANTED
        fault = self._forget(each)
        if request is None:
            return fault
        if grants and not fault:
            self._state.granted[request.request_id] = each.question
            self.tell(request.reply_to, ApprovalGranted(request_id=request.request_id))
        else:
            text = wording.NOT_STORED.format(reason=fault) if grants else reason or wording.REFUSED
            self._refuse(request, text)
        return fault if grants else ""

    # ends

    def _await_end(self, each: OpenQuestion, least_s: float = 0.0) -> None:
        left_s = max(least_s, each.question.left_s(self.now()))
        each.wait_id = self.wait(left_s, partial(self._expire, each.question.id))

    def _is_over(self, each: OpenQuestion) -> bool:
        return each.question.left_s(self.now()) <= 0

    def _expire(self, question_id: str) -> None:
        if (each := self._state.open.get(question_id)) is not None:
            self._close(each, wording.TIMED_OUT, "No answer within an hour: refused.")

    def _end_turn(self, ended: TurnEnded) -> None:
        self._state.drop_granted(lambda each: (each.window, each.turn_id) == (ended.window, ended.turn_id))
        for each in list(self._state.open.values()):
            if (each.question.window, each.question.turn_id) == (ended.window, ended.turn_id):
                self._close(each, wording.TURN_OVER, "The turn is over: not needed any more.")

    def _end_deleted(self, gone: QuestionDeleted) -> None:
        for each in list(self._state.open.values()):
            if each.message_id == gone.message_id and each.question.decision is Decision.OPEN:
                self._close(each, wording.DELETED, "")

    def _forget_turns(self, request: ForgetDerived) -> None:
        """Refuse the waiting requests of forgotten turns, and leave no note of the questions."""
        turns = {event.turn_id or event.event_id for event in request.events}
        of_window = [each for each in self._state.open.values() if each.question.window == request.window]
        gone = [each for each in of_window if request.whole_window or each.question.turn_id in turns]
        self._state.drop_granted(lambda each: each.window == request.window)
        for posting in [name for name, (window, _) in self._state.ended.items() if window == request.window]:
            del self._state.ended[posting]
        faults = [fault for each in gone if (fault := self._forget(each))]
        for each in gone:
            if each.asker is not None:
                self._refuse(each.asker, wording.TURN_OVER)
        if faults:
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=faults[0]))
        else:
            self.tell(request.reply_to, answer_derived(request, self.address.kind, len(gone)))

    def _close(self, each: OpenQuestion, reason: str, how: str) -> None:
        """End a question without a decision.

        Args:
            each: The question; of a decided question only the note is removed.
            reason: For the model.
            how: For people; empty for a missing message.
        """
        self._forget(each)
        if each.question.decision is Decision.OPEN and how:
            self._end_message(each, how)
        if each.asker is not None:
            self._refuse(each.asker, reason)

    def _forget(self, each: OpenQuestion) -> str:
        """Forget a question, on the disk first; return the reason why the note may come back, else empty."""
        self._state.open.pop(each.question.id, None)
        if each.wait_id is not None:
            self.withdraw(each.wait_id)
        if self._notes is None:
            return ""
        try:
            with self.blocking():
                self._notes.drop(each.question.id)
        except OSError as error:
            log.warning("question %s: its note may come back: %s", each.question.id, error.strerror)
            return error.strerror or str(error)
        return ""

    def _keep(self, question: Question) -> str:
        """Put a question on the disk; return the reason for a failure, else empty."""
        if self._notes is None:
            return ""
        try:
            with self.blocking():
                self._notes.keep(question)
        except OSError as error:
            log.warning("question %s cannot be stored: %s", question.id, error.strerror)
            return error.strerror or str(error)
        return ""

    def _read_earlier(self) -> None:
        if self._notes is None or self._state.has_read:
            return
        try:
            with self.blocking():
                earlier = self._notes.earlier()
        except OSError as error:
            log.error("questions of an earlier life cannot be read: %s", error)
            return
        self._state.open |= {question.id: OpenQuestion(question) for question in earlier}
        self._state.has_read = True

    # messages to people

    def _post(self, each: OpenQuestion, *, look_first: bool = False) -> None:
        self.tell(self._config.surface, question_post(each.question, self.address, look_first=look_first))
        self._post_later(each, OVERDUE_S)

    def _post_later(self, each: OpenQuestion, seconds: float) -> None:
        """Post again in a while, unless the surface reports the message meanwhile."""
        if each.again_id is not None:
            self.withdraw(each.again_id)
        each.again_id = self.wait(seconds, partial(self._post_again, each.question.id))

    def _note_delivery(self, delivery: Delivery) -> None:
        """Note the fate of an open question's message; of a decided or ended question only the buttons go."""
        late = self._state.ended.pop(delivery.request_id, None)
        if late is not None and isinstance(delivery, Delivered):
            window, text = late
            message_id = delivery.message_ids[-1]
            self.tell(self._config.surface, EndButtons(window=window, message_id=message_id, text=text))
        each = self._state.open.get(delivery.request_id.removeprefix(POST_PREFIX))
        if each is None or each.question.decision is not Decision.OPEN:
            return
        match delivery:
            case Delivered():
                each.message_id = delivery.message_ids[-1]
            case DeliveryRefused():
                self._close(each, wording.NOT_SHOWN.format(reason=delivery.reason), "")
            case DeliveryFailed():
                self._post_later(each, RETRY_S)

    def _post_again(self, question_id: str) -> None:
        each = self._state.open.get(question_id)
        if each is not None and not each.message_id and each.question.decision is Decision.OPEN:
            self._post(each, look_first=True)

    def _end_message(self, each: OpenQuestion, how: str) -> None:
        """Take the buttons away, as soon as the message is known."""
        window, text = each.question.window, wording.ended_message(each.question, how)
        if each.message_id:
            self.tell(self._config.surface, EndButtons(window=window, message_id=each.message_id, text=text))
        else:
            self._state.ended[RequestId(f"{POST_PREFIX}{each.question.id}")] = window, text

    # what it says of itself

    def _listing(self, request_id: RequestId) -> ApprovalsListed:
        questions = [each.question for each in self._state.open.values() if each.question.decision is Decision.OPEN]
        return ApprovalsListed(
            request_id=request_id,
            approvals=tuple(
                OpenApproval(
                    id=each.id,
                    window=each.window,
                    asked_by=each.asked_by,
                    kind=each.kind,
                    text=each.text,
                    asked_at=each.asked_at,
                )
                for each in questions
            ),
        )

    def _description(self, request_id: RequestId) -> SelfDescription:
        figures = (("questions_open", len(self._listing(request_id).approvals)),)
        return SelfDescription(request_id=request_id, about=self.address.kind, figures=figures)
