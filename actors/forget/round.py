"""Round of questions: several actors are asked the same at a time, a few at once, and all answers come together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from actors.kernel import Host
from actors.kernel.actor import MakeQuestion
from messages.base import Address, Message

AT_ONCE = 16
"""Most open questions; further questions wait, so not all windows of a large data root are in memory."""
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class RoundQuestion(Generic[K]):
    """One question of a round."""

    key: K
    """Names the answer."""
    to: Address
    make: MakeQuestion


class Round(Generic[K]):
    """Questions under way and their answers."""

    def __init__(
        self,
        host: Host,
        questions: Iterable[RoundQuestion[K]],
        answer_s: float,
        then: Callable[[dict[K, Message | None]], None],
    ) -> None:
        """Ask the questions.

        Args:
            host: Actor that asks.
            questions: Each with a key of its own.
            answer_s: Longest wait for each.
            then: Called once, with the answer by key; None for a question without an answer.
        """
        self._host = host
        self._waiting = deque(questions)
        self._answer_s = answer_s
        self._then = then
        self._open = 0
        self._answers: dict[K, Message | None] = {}
        self._go_on()

    def _go_on(self) -> None:
        while self._waiting and self._open < AT_ONCE:
            question = self._waiting.popleft()
            self._open += 1
            self._host.ask(question.to, question.make, self._answer_s, partial(self._take, question.key))
        if not self._open:
            self._then(self._answers)

    def _take(self, key: K, answer: Message | None) -> None:
        self._answers[key] = answer
        self._open -= 1
        self._go_on()
