"""Delivery with retries of texts on their way to people: which are out, and when to try again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from actors.context.host import WindowHost
from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.turn.conversation import Debt
from messages.base import EventId, MessageId, RequestId
from messages.context import DeliveryDue
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage

FIRST_RETRY_S = 5.0
LAST_RETRY_S = 300.0


@dataclass(slots=True)
class _Attempt:
    debt: Debt
    failures: int = 0


class Deliveries:
    """The posts that have not been confirmed; each text is out under at most one request."""

    def __init__(self, host: WindowHost) -> None:
        self._host = host
        self._attempts: dict[RequestId, _Attempt] = {}

    def __bool__(self) -> bool:
        """Whether anything is on its way."""
        return bool(self._attempts)

    def forget(self) -> None:
        """Take notice of nothing more that is on its way."""
        self._attempts.clear()

    def begin(self, event_id: EventId) -> None:
        """Have that event's text shown, if it is owed to somebody and isn't on its way.

        The running message of a turn that an earlier life began is looked for, so that it becomes the answer.
        """
        for debt in self._host.conversation.debts():
            if debt.event_id == event_id:
                look_first = debt.ends_turn and debt.turn is not None and debt.turn.was_resumed
                self._begin(debt, look_first=look_first)

    def begin_all(self) -> None:
        """Have everything shown that is owed from an earlier life, unless it turns out to have been."""
        for debt in self._host.conversation.debts():
            self._begin(debt, look_first=True)

    def delivered(self, message: Delivered) -> None:
        """The text is visible."""
        self._settle(message.request_id, {"message_ids": list(message.message_ids)})

    def refused(self, message: DeliveryRefused) -> None:
        """The text can never be shown."""
        self._settle(message.request_id, {"refused": message.reason})

    def failed(self, message: DeliveryFailed) -> None:
        """Try again in a while."""
        attempt = self._attempts.get(message.request_id)
        if attempt is not None:
            attempt.failures += 1
            retry_in_s = min(LAST_RETRY_S, FIRST_RETRY_S * 2.0 ** (attempt.failures - 1))
            self._host.after(retry_in_s, DeliveryDue(request_id=message.request_id))

    def due(self, message: DeliveryDue) -> None:
        """Try again."""
        attempt = self._attempts.get(message.request_id)
        if attempt is not None:
            self._post(message.request_id, attempt.debt, look_first=True)

    def _begin(self, debt: Debt, *, look_first: bool) -> None:
        request_id = RequestId(f"post-{debt.event_id}")
        if request_id not in self._attempts:
            self._attempts[request_id] = _Attempt(debt)
            self._post(request_id, debt, look_first=look_first)

    def _post(self, request_id: RequestId, debt: Debt, *, look_first: bool) -> None:
        self._host.tell(
            self._host.surface,
            PostMessage(
                request_id=request_id,
                reply_to=self._host.address,
                window=self._host.window,
                text=debt.text,
                nonce=debt.event_id,
                answers_message_id=MessageId(debt.answers_message_id),
                look_first=look_first,
                turn_id=debt.turn.id if debt.turn is not None and debt.ends_turn else "",
            ),
        )

    def _settle(self, request_id: RequestId, meta: Mapping[str, MetaValue]) -> None:
        """Log that a text is not owed any more, with what is still to do, so that a look at the log's end suffices."""
        attempt = self._attempts.pop(request_id, None)
        if attempt is not None:
            still_open = self._host.conversation.open_count - 1
            fields: dict[str, MetaValue] = {"event": attempt.debt.event_id, "open": still_open, **meta}
            self._host.record(Kind.DELIVERY, "", fields, sync=False)
