"""Client for the words of a window's log, so no transcript is kept here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from actors.kernel import Host
from messages.base import TurnId, Window
from messages.socket import Refused
from messages.turn import PrepareCompaction, SpokenTold, SpokenTurn, TellSpoken

ANSWER_S = 20.0
"""Longest wait for a window's answer, in seconds."""
Take = Callable[[Sequence[SpokenTurn] | None], None]
"""Called with the words; with None while the window cannot give the words."""


class TranscriptClient:
    """Client of one window for stretches of the window's logs."""

    def __init__(self, host: Host, window: Window) -> None:
        self._host = host
        self._window = window
        self._open = 0

    @property
    def is_busy(self) -> bool:
        """True while an answer is to come."""
        return bool(self._open)

    def read_stretch(self, log: str, first: str, last: str, take: Take) -> None:
        """Ask for the words of some turns; empty names stand for a log's beginning and end."""
        make = partial(TellSpoken, window=self._window, log=log, first=TurnId(first), last=TurnId(last))

        def go_on(answer: SpokenTold | Refused | None) -> None:
            self._open -= 1
            take(answer.turns if isinstance(answer, SpokenTold) else None)

        self._open += 1
        self._host.ask(self._window.address, make, ANSWER_S, go_on)

    def read_before(self, message: PrepareCompaction, take: Take) -> None:
        """Ask for the words of a log before the kept part."""
        first_kept = message.kept_from

        def cut(spoken: Sequence[SpokenTurn] | None) -> None:
            names = [turn.turn_id for turn in spoken or ()]
            take(spoken[: names.index(first_kept)] if spoken and first_kept in names else spoken)

        self.read_stretch(message.log, "", "", cut)
