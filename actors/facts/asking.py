"""Steps that ask other actors: generators that give what is to be asked and are sent the answers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from actors.kernel import Host, Timer
from messages.base import Address, Message, RequestId, request_id_of
from messages.facts import FactsDue, FactsTimer
from messages.socket import Refused

LOOK_S = 5.0
"""Between two looks for answers that do not come."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to another actor."""

    to: Address
    message: Callable[[RequestId, Address], Message]
    """Makes it, given its id and who is answered."""
    deadline_s: float = 120.0
    """After so long it counts as refused: its answerer died with it."""


Steps = Generator[tuple[Ask, ...], tuple[Message, ...], None]
"""Gives questions to ask side by side, and is sent their answers in that order."""


class _Round:
    """Questions of one step that are not all answered."""

    def __init__(self, steps: Steps, count: int) -> None:
        self.steps = steps
        self.answers: list[Message | None] = [None] * count


class Asking:
    """Steps under way in one actor."""

    def __init__(self, host: Host) -> None:
        """None yet.

        Args:
            host: The actor that asks.
        """
        self._host = host
        self._waiting: dict[RequestId, tuple[_Round, int, float]] = {}
        self._ends: dict[Any, Callable[[], None]] = {}
        self._timer: Timer | None = None

    def __len__(self) -> int:
        return len(self._ends)

    def begin(self, steps: Steps, on_end: Callable[[], None] = lambda: None) -> None:
        """Take the first step.

        Args:
            steps: What to do.
            on_end: Called when the last step is over.
        """
        self._ends[steps] = on_end
        self._go_on(steps, None)

    def hears(self, message: Message) -> bool:
        """Take an answer; False if nobody here waits for it."""
        waiting = self._waiting.pop(request_id_of(message), None)
        if waiting is None:
            return False
        step, place, _ = waiting
        step.answers[place] = message
        answers = tuple(answer for answer in step.answers if answer is not None)
        if len(answers) == len(step.answers):
            self._go_on(step.steps, answers)
        return True

    def expire(self) -> None:
        """Give up answers that have not come in time."""
        self._timer = None
        now = self._host.monotonic()
        for request_id in [each for each, (_, _, until) in self._waiting.items() if until <= now]:
            self.hears(Refused(request_id=request_id, reason="there was no answer"))
        self._look_again()

    def _go_on(self, steps: Steps, answers: tuple[Message, ...] | None) -> None:
        try:
            asks = next(steps) if answers is None else steps.send(answers)
            while not asks:
                asks = steps.send(())
        except StopIteration:
            self._ends.pop(steps)()
            return
        step = _Round(steps, len(asks))
        for place, ask in enumerate(asks):
            request_id = RequestId(self._host.new_id())
            self._waiting[request_id] = step, place, self._host.monotonic() + ask.deadline_s
            self._host.tell(ask.to, ask.message(request_id, self._host.address))
        self._look_again()

    def _look_again(self) -> None:
        if self._waiting and self._timer is None:
            self._timer = self._host.after(LOOK_S, FactsDue(what=FactsTimer.DEADLINES))
