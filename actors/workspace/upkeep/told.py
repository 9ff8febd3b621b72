"""Words that a window tells again from its log, so that no transcript is kept here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from actors.kernel import Host, Timer
from messages.base import RequestId, TurnId, Window
from messages.socket import Refused
from messages.turn import BeforeTrim, SpokenTold, SpokenTurn, TellSpoken
from messages.workspace import WorkerOverdue

TOLD_S = 20.0
"""Longest wait for a window's answer."""
Told = Callable[[Sequence[SpokenTurn] | None], None]
"""Given the words; None where the window cannot tell them now."""


class ToldWords:
    """Asker of one window for stretches of its logs."""

    def __init__(self, host: Host, window: Window) -> None:
        self._host = host
        self._window = window
        self._asked: dict[RequestId, tuple[Told, Timer]] = {}

    @property
    def is_busy(self) -> bool:
        """Whether an answer is to come."""
        return bool(self._asked)

    def stretch(self, log: str, first: str, last: str, told: Told) -> None:
        """The words of some turns; empty names stand for a log's beginning and end."""
        request_id = RequestId(self._host.new_id())
        self._asked[request_id] = told, self._host.after(TOLD_S, WorkerOverdue(request_id=request_id))
        request = TellSpoken(
            request_id=request_id,
            reply_to=self._host.address,
            window=self._window,
            log=log,
            first=TurnId(first),
            last=TurnId(last),
        )
        self._host.tell(self._window.address, request)

    def before(self, message: BeforeTrim, told: Told) -> None:
        """The words of a log before what is left of it."""
        kept = message.kept_from

        def cut(spoken: Sequence[SpokenTurn] | None) -> None:
            names = [turn.turn_id for turn in spoken or ()]
            told(spoken[: names.index(kept)] if spoken and kept in names else spoken)

        self.stretch(message.log, "", "", cut)

    def heard(self, answer: SpokenTold | Refused) -> None:
        """Hand an answer to who asked."""
        self._hand_on(answer.request_id, answer.turns if isinstance(answer, SpokenTold) else None)

    def overdue(self, request_id: RequestId) -> bool:
        """Whether this was a question's deadline: what was asked cannot be told."""
        return self._hand_on(request_id, None)

    def _hand_on(self, request_id: RequestId, turns: Sequence[SpokenTurn] | None) -> bool:
        asked = self._asked.pop(request_id, None)
        if asked is None:
            return False
        told, timer = asked
        timer.cancel()
        told(turns)
        return True
