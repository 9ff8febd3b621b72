"""Steps that ask other actors: generators that yield questions and are sent the answers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from dataclasses import dataclass

from actors.kernel import Host, MakeQuestion
from messages.base import Address, Message, RequestId
from messages.socket import Refused

NO_ANSWER = Refused(request_id=RequestId(""), reason="there was no answer")
"""Answer to a question whose deadline has passed: the actor asked died in between."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to another actor."""

    to: Address
    message: MakeQuestion
    deadline_s: float = 120.0


Steps = Generator[tuple[Ask, ...], tuple[Message, ...], None]
"""Yields questions to ask side by side, and is sent their answers in the same order."""


class _Round:
    """Questions of one step with missing answers."""

    def __init__(self, steps: Steps, count: int) -> None:
        self.steps = steps
        self.answers: list[Message | None] = [None] * count


class Asking:
    """Steps under way in one actor."""

    def __init__(self, host: Host) -> None:
        """Begin without steps.

        Args:
            host: The actor that asks.
        """
        self._host = host
        self._ends: dict[Steps, Callable[[], None]] = {}

    def __len__(self) -> int:
        return len(self._ends)

    def tell(self, to: Address, message: Message) -> None:
        """Tell an actor a message."""
        self._host.tell(to, message)

    def begin(self, steps: Steps, on_end: Callable[[], None] = lambda: None) -> None:
        """Take the first step.

        Args:
            steps: Generator of the steps.
            on_end: Called when the last step is over.
        """
        self._ends[steps] = on_end
        self._go_on(steps, None)

    def _take_answer(self, step: _Round, place: int, answer: Message | None) -> None:
        step.answers[place] = NO_ANSWER if answer is None else answer
        answers = tuple(each for each in step.answers if each is not None)
        if len(answers) == len(step.answers):
            self._go_on(step.steps, answers)

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
            self._host.ask(ask.to, ask.message, ask.deadline_s, functools.partial(self._take_answer, step, place))
