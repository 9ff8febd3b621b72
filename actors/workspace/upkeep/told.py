"""Words that a window tells again from its log, so that no transcript is kept here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from actors.kernel import Host, Timer
from actors.workspace.upkeep.state import WorkspaceState
from messages.base import RequestId, TurnId, Window
from messages.socket import Refused
from messages.turn import BeforeTrim, SpokenTold, SpokenTurn, TellSpoken
from messages.workspace import WorkerOverdue

PATIENCE_S = 10.0
"""Longest wait for the window."""
Told = Callable[[Sequence[SpokenTurn]], None]


class ToldWords:
    """Asker of one window for stretches of its logs; what cannot be told is nothing."""

    def __init__(self, host: Host, window: Window, state: WorkspaceState) -> None:
        self._host = host
        self._window = window
        self._state = state
        self._asked: dict[RequestId, tuple[Told, Timer]] = {}

    @property
    def is_busy(self) -> bool:
        """Whether an answer is to come."""
        return bool(self._asked)

    def stretch(self, log: str, first: str, last: str, told: Told) -> None:
        """The words of some turns; empty names stand for a log's beginning and end."""
        request_id = RequestId(self._host.new_id())
        self._asked[request_id] = told, self._host.after(PATIENCE_S, WorkerOverdue(request_id=request_id))
        request = TellSpoken(
            request_id=request_id,
            reply_to=self._host.address,
            window=self._window,
            log=log,
            first=TurnId(first),
            last=TurnId(last),
        )
        self._host.tell(self._window.address, request)

    def since(self, message: BeforeTrim, told: Told) -> None:
        """The words that SESSION.md has not been told of, or at least those that are to be cut."""
        if not self._state.dirty_from:
            told(message.spoken)
            return
        self.stretch(message.log, self._state.dirty_from, "", lambda spoken: told(spoken or message.spoken))

    def before(self, message: BeforeTrim, told: Told) -> None:
        """The words of a log before what is left of it."""
        kept = message.kept_from

        def cut(spoken: Sequence[SpokenTurn]) -> None:
            names = [turn.turn_id for turn in spoken]
            told(spoken[: names.index(kept)] if kept in names else spoken)

        self.stretch(message.log, "", "", cut)

    def heard(self, answer: SpokenTold | Refused) -> None:
        """Hand an answer to who asked."""
        asked = self._asked.pop(answer.request_id, None)
        if asked is not None:
            asked[1].cancel()
            asked[0](answer.turns if isinstance(answer, SpokenTold) else ())

    def overdue(self, request_id: RequestId) -> bool:
        """Whether this was the end of a wait, which comes to nothing: the window was restarted, and knows of none."""
        asked = self._asked.pop(request_id, None)
        if asked is not None:
            asked[0](())
        return asked is not None
