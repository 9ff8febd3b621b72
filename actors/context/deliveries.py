"""Delivery with retries of texts on their way to people, in their order: which are out, and when to try again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from actors.context.host import WindowHost
from actors.context.presence import Presence
from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.turn.debt import Debt
from messages.base import EventId, MessageId, RequestId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage, ReactionKind

FIRST_RETRY_S = 5.0
LAST_RETRY_S = 300.0
HOLD_S = 600.0
"""Seconds of delay for later texts behind a text that cannot be shown. After this time each text is tried when the
older text failed again: after an outage texts come out in order, and a single unshowable text does not hold up later
texts for ever.
"""
CLOSED_S = 14 * 86_400.0
"""Seconds to retry a text that the surface may not show for now: people undo a lock or a filter after days, too."""
CLOCK_SKEW = timedelta(minutes=5)
"""The surface's clock may be behind ours."""
OVERDUE_S = 60.0
"""Seconds to wait for the surface's report on a text; then the text is sent again, without effect if still under way.
"""


@dataclass(slots=True)
class _Attempt:
    debt: Debt
    look_first: bool
    """True if the text may have been shown already."""
    is_of_earlier_life: bool = False
    is_out: bool = False
    """True while the surface has the text."""
    failures: int = 0
    failed_since_s: float = 0.0
    """Time of the first failure, if any."""
    wait_id: RequestId | None = None
    """Id of the wait until the next attempt, after a failure or an overdue report."""

    @property
    def waits(self) -> bool:
        """True between a failure and the next try."""
        return self.wait_id is not None and not self.is_out


class Deliveries:
    """Unconfirmed texts, oldest first; a single text is out at a time, and each has a request of its own."""

    def __init__(self, host: WindowHost, presence: Presence) -> None:
        """Begin without texts.

        Args:
            host: The actor of the window.
            presence: Shows the state of answered messages.
        """
        self._host = host
        self._presence = presence
        self._attempts: dict[RequestId, _Attempt] = {}

    def __bool__(self) -> bool:
        """True if any text is on its way."""
        return bool(self._attempts)

    def begin(self, event_id: EventId) -> None:
        """Show an event's text after all older texts, if the text is undelivered and not on its way.

        If an earlier life began the turn, its running message is looked for and becomes the answer.
        """
        for debt in self._host.conversation.debts():
            if debt.event_id == event_id:
                is_resumed = debt.turn is not None and debt.turn.was_resumed
                self._add(debt, look_first=bool(debt.ended_turn) and is_resumed)
        self._wake_oldest()
        self._go_on()

    def drop(self, event_ids: Collection[EventId]) -> None:
        """Stop showing the texts of these events; a text on its way may still appear."""
        for request_id, attempt in tuple(self._attempts.items()):
            if attempt.debt.event_id in event_ids:
                del self._attempts[request_id]
                self._stop_waiting(attempt)
        self._go_on()

    def begin_all(self) -> None:
        """Show all undelivered texts of an earlier life, unless a text turns out to be shown already."""
        for debt in self._host.conversation.debts():
            self._add(debt, look_first=True, is_of_earlier_life=True)
        self._go_on()

    def handle(self, message: Delivered | DeliveryFailed | DeliveryRefused) -> None:
        """Take in the outcome of a text."""
        match message:
            case Delivered():
                self._settle_delivered(message)
            case DeliveryFailed():
                self._retry_failed(message)
            case DeliveryRefused():
                self._settle_refused(message)

    def _settle_delivered(self, message: Delivered) -> None:
        """The text is visible."""
        if (attempt := self._attempts.get(message.request_id)) is not None and attempt.debt.is_answer:
            self._react(attempt, ReactionKind.ANSWERED)
        self._settle(message.request_id, {"message_ids": list(message.message_ids)})

    def _settle_refused(self, message: DeliveryRefused) -> None:
        """Give up a text that cannot be shown; retry for weeks if people may allow it. Later texts may be shown."""
        attempt = self._attempts.get(message.request_id)
        if attempt is not None and message.for_now and not self._has_failed_for(attempt, CLOSED_S):
            if attempt.is_out:
                self._try_again(message.request_id, attempt)
            return
        if attempt is not None and attempt.debt.ended_turn:
            self._react(attempt, ReactionKind.FAILED)
        self._settle(message.request_id, {"refused": message.reason})

    def _retry_failed(self, message: DeliveryFailed) -> None:
        """Try again in a while."""
        attempt = self._attempts.get(message.request_id)
        if attempt is not None and attempt.is_out:
            self._try_again(message.request_id, attempt)

    def _wake(self, attempt: _Attempt, request_id: RequestId) -> None:
        """Try again; a text still out counts as failed."""
        attempt.wait_id = None
        if attempt.is_out:
            self._try_again(request_id, attempt)
        else:
            self._go_on()

    def _try_again(self, request_id: RequestId, attempt: _Attempt) -> None:
        attempt.is_out, attempt.look_first = False, True
        attempt.failed_since_s = attempt.failed_since_s if attempt.failures else self._host.monotonic()
        attempt.failures += 1
        self._wait(request_id, attempt, min(LAST_RETRY_S, FIRST_RETRY_S * 2.0 ** min(attempt.failures - 1, 10)))
        self._go_on()

    def _wait(self, request_id: RequestId, attempt: _Attempt, seconds: float) -> None:
        self._stop_waiting(attempt)
        attempt.wait_id = self._host.wait(seconds, partial(self._wake, attempt, request_id))

    def _stop_waiting(self, attempt: _Attempt) -> None:
        if attempt.wait_id is not None:
            self._host.withdraw(attempt.wait_id)
            attempt.wait_id = None

    def _add(self, debt: Debt, *, look_first: bool, is_of_earlier_life: bool = False) -> None:
        attempt = _Attempt(debt, look_first, is_of_earlier_life)
        self._attempts.setdefault(RequestId(f"post-{debt.event_id}"), attempt)

    def _wake_oldest(self) -> None:
        """Try the oldest text at once before a new text would pass it."""
        oldest = next(iter(self._attempts.values()), None)
        if oldest is not None and oldest.waits and self._has_held(oldest):
            self._stop_waiting(oldest)

    def _go_on(self) -> None:
        """Post the oldest text, and a later text only if all older texts have been held up long enough."""
        if any(attempt.is_out for attempt in self._attempts.values()):
            return
        for request_id, attempt in self._attempts.items():
            if not attempt.waits:
                self._post(request_id, attempt)
                return
            if not self._has_held(attempt):
                return

    def _has_held(self, attempt: _Attempt) -> bool:
        return self._has_failed_for(attempt, HOLD_S)

    def _has_failed_for(self, attempt: _Attempt, seconds: float) -> bool:
        return bool(attempt.failures) and self._host.monotonic() - attempt.failed_since_s >= seconds

    def _react(self, attempt: _Attempt, kind: ReactionKind) -> None:
        """Show the text's outcome below the messages it answers."""
        debt = attempt.debt
        message_ids = [debt.answers_message_id, *(debt.turn.joined if debt.turn is not None else ())]
        if attempt.is_of_earlier_life:
            self._presence.react(message_ids, ReactionKind.RESUMED)  # whose sign of work is still there
        self._presence.react(message_ids, kind)

    def _post(self, request_id: RequestId, attempt: _Attempt) -> None:
        attempt.is_out = True
        self._wait(request_id, attempt, OVERDUE_S)
        debt = attempt.debt
        self._host.tell(
            self._host.surface,
            PostMessage(
                request_id=request_id,
                reply_to=self._host.address,
                window=self._host.window,
                text=debt.text,
                nonce=debt.event_id,
                answers_message_id=MessageId(debt.answers_message_id),
                look_first=attempt.look_first,
                look_since=None if debt.answers_message_id else debt.at - CLOCK_SKEW,
                others=self._host.conversation.shown_after(debt.answers_message_id),
                turn_id=debt.ended_turn,
            ),
        )

    def _settle(self, request_id: RequestId, meta: Mapping[str, MetaValue]) -> None:
        """Log that a text is settled, with the remaining work, so a look at the log's end suffices."""
        attempt = self._attempts.get(request_id)
        if attempt is None:
            return
        still_open = self._host.conversation.open_count - 1
        fields: dict[str, MetaValue] = {"event": attempt.debt.event_id, "open": still_open, **meta}
        self._host.record(Kind.DELIVERY, "", fields, sync=False)
        del self._attempts[request_id]
        self._stop_waiting(attempt)
        self._go_on()
