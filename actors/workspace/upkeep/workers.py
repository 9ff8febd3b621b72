"""Workers: model calls for the upkeep of a window's files, each with a purpose and a time limit."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from actors.kernel import Host
from actors.workspace.config import WorkspaceConfig
from domain.policy.pacing import Pacing
from domain.workspace.workers.prompts import Prompt
from messages.base import RequestId, Window
from messages.model import CancelModel, ChatMessage, ModelFailed, ModelReply, ModelRequest, Role
from messages.turn import CountUsage

log = logging.getLogger(__name__)

LONGEST_ANSWER = 64_000
"""Characters of a model's answer that is looked into at all; a look for secrets costs more the longer the answer is."""


TIDYING = ("sweep", "fold")
"""Purposes without a waiting cut: a refused tidier file tells little about the workers that cuts wait for."""


@dataclass(frozen=True, slots=True)
class Work:
    """One call to make."""

    purpose: str
    """`session`, `consolidate`, `sweep` or `fold`."""
    prompt: Callable[[], Prompt]
    """Makes the prompt when the call's turn comes; raises ValueError without a question to ask."""
    on_answer: Callable[[str], Callable[[], None]]
    """Reads the answer, and returns the action to take; raises ValueError for an unusable answer."""
    on_refused: Callable[[str, ValueError], None]
    """Called with an unusable answer, and the reason."""
    on_failed: Callable[[str], None]
    """Told why there is no answer."""


class Workers:
    """Queue of one window's workers; the ModelActor limits the number of windows served at a time."""

    def __init__(
        self, host: Host, config: WorkspaceConfig, window: Window, pacing: Pacing, *, on_failure: Callable[[], None]
    ) -> None:
        """Begin without work.

        Args:
            host: The actor.
            config: Models to ask, and time to wait.
            window: Window on whose behalf models are asked.
            pacing: Record of the workers' success.
            on_failure: Called after an unusable answer of a worker.
        """
        self._host = host
        self._config = config
        self._window = window
        self._pacing = pacing
        self._on_failure = on_failure
        self._asked_s = 0.0
        self._waiting: deque[Work] = deque()
        self._running: tuple[RequestId, Work] | None = None

    @property
    def is_busy(self) -> bool:
        """True while a worker works or waits."""
        return self._running is not None or bool(self._waiting)

    def begin(self, work: Work) -> None:
        """Queue a call behind earlier calls."""
        self._waiting.append(work)
        self._next()

    def count_usage(self, reply: ModelReply) -> None:
        """Have the window count the cost of an answer, in time or not."""
        self._host.tell(self._window.address, CountUsage(window=self._window, usage=reply.usage))

    def stop(self, reason: str) -> None:
        """Give up all calls."""
        waiting, self._waiting = list(self._waiting), deque()
        if self._running is not None:
            self._give_up(reason)
        for work in waiting:
            work.on_failed(reason)

    def _next(self) -> None:
        while self._running is None and self._waiting:
            work = self._waiting.popleft()
            try:
                system, user = work.prompt()
            except ValueError as error:
                work.on_failed(str(error))
                continue
            make = partial(
                ModelRequest,
                window=self._window,
                system_prompt=system,
                messages=(ChatMessage(role=Role.USER, text=user),),
                tools=(),
                model=self._config.model_name,
                purpose=f"workspace.{work.purpose}",
                is_background=True,
            )
            self._pacing.charge()
            self._asked_s = self._host.monotonic()
            request_id = self._host.ask(self._config.model, make, self._config.worker_s, self._take_answer)
            self._running = request_id, work

    def _take_answer(self, answer: ModelReply | ModelFailed | None) -> None:
        assert self._running is not None, "its answer is taken"
        if answer is None:
            self._pacing.note_failure()
            self._give_up(f"no answer came within {self._config.worker_s:g} s")
        elif isinstance(answer, ModelFailed):
            self._pacing.note_failure()
            self._end().on_failed(answer.reason)
        else:
            self.count_usage(answer)
            self._use(answer.text)
        if self._pacing.is_failing:
            self._on_failure()
        self._next()

    def _use(self, text: str) -> None:
        """Have an answer used; an unusable answer is a failure."""
        work = self._end()
        if len(text) > LONGEST_ANSWER:
            self._pacing.note_failure()
            work.on_failed(_word_length(work.purpose, len(text)))
            return
        try:
            go_on = work.on_answer(text)
        except ValueError as error:
            if work.purpose not in TIDYING:
                self._pacing.note_failure()
            work.on_refused(text, error)
        else:
            self._pacing.note_answer(self._host.monotonic() - self._asked_s)
            go_on()

    def _give_up(self, reason: str) -> None:
        assert self._running is not None, "one works"
        request_id, _ = self._running
        self._host.withdraw(request_id)
        self._host.tell(self._config.model, CancelModel(request_id=request_id))
        work = self._end()
        log.warning("%s: the worker for %s is given up: %s", self._host.address, work.purpose, reason)
        work.on_failed(reason)

    def _end(self) -> Work:
        assert self._running is not None, "one works"
        (_, work), self._running = self._running, None
        return work


def _word_length(purpose: str, chars: int) -> str:
    return f"the answer of the worker for {purpose} has {chars:,} characters: must have at most {LONGEST_ANSWER:,}"
