"""Pipeline of owed work: turns of a conversation in worthwhile batches, a few conversations at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from actors.facts.asking import Asking, Steps
from actors.facts.config import FactsConfig
from actors.facts.store.journal import Owed
from actors.facts.turn_work import ForgottenMeanwhileError, LaterError, TurnWork
from actors.kernel import Host
from domain.facts.pace import FIRST_PAUSE_S, LONGEST_PAUSE_S, Pace, batch_size
from domain.facts.quiet import asks_to_remember
from messages.facts import FactsDue, FactsTimer

log = logging.getLogger(__name__)

MOST_REFUSALS = 12
"""Refusals in a row after which a turn's facts are given up: 17 hours at the usual pace, which doubles each time."""
MOST_AGE = timedelta(days=7)
"""Age of a turn whose facts are given up at their next failure, of any kind but a forgotten entry meanwhile."""
LEAST_TRIES = 8
"""Tries in this life, in some hours, before an old turn is given up: a turn also seems old, and the network is not
up yet, after a long time off, and when a clock without a battery is put right.
"""
MOST_PACES = 1_000
"""Conversations with a remembered pace; beyond the limit, long silent conversations are dropped."""
PATIENCE = 3
"""Failures after which a turn no longer holds up later turns of its conversation."""


class Pipeline:
    """Finished turns that still need work."""

    def __init__(
        self,
        host: Host,
        config: FactsConfig,
        asking: Asking,
        work: TurnWork,
        *,
        changed: Callable[[], None],
        wake: Callable[[float], None],
    ) -> None:
        """Begin without work; `go_on` begins the journal's work.

        Args:
            host: The actor.
            config: Number of conversations at a time.
            asking: Runs the steps.
            work: Makes the steps, and has the journal.
            changed: Told when a turn's work is done.
            wake: Has `go_on` called after the given seconds.
        """
        self._host = host
        self._config = config
        self._asking = asking
        self._work = work
        self._journal = work.journal
        self._changed = changed
        self._wake = wake
        self._active: set[str] = set()
        """Conversations with turns in work."""
        self._paces: dict[str, Pace] = {}
        """By conversation, in this life; turns of an earlier life have waited long enough."""
        self._most_read = config.turns_a_call
        """Most messages that the model has not failed to read at a time, in this life."""
        self.failures = 0
        self.given_up = 0
        """Number of turns whose facts were given up for good."""
        self.trouble = ""

    @property
    def waiting(self) -> int:
        """Number of finished turns that still need work."""
        return sum(owed.answered_at is not None for owed in self._journal.owed.values())

    def take(self, owed: Owed) -> None:
        """Note the end of a turn, and begin all possible work, behind work under way."""
        now = self._host.monotonic()
        if len(self._paces) >= MOST_PACES:
            self._paces = {each: pace for each, pace in self._paces.items() if not pace.is_over(now)}
        self._pace(owed.conversation).end_turn(now)
        self._go_on_later()

    def go_on(self) -> None:
        """Begin all work possible now, and come back when more is possible."""
        waiting: dict[str, list[Owed]] = {}
        for owed in self._journal.owed.values():
            if owed.answered_at is not None and owed.conversation not in self._active:
                waiting.setdefault(owed.conversation, []).append(owed)
        waits = []
        for conversation, turns in waiting.items():
            if len(self._active) >= self._config.pipelines:
                return
            wait_s, batch = self._choose(turns)
            if wait_s > 0:
                waits.append(wait_s)
            else:
                self._active.add(conversation)
                self._asking.begin(self._work_on(batch), partial(self._rest, conversation))
        if waits:
            self._wake(min(waits))

    def _choose(self, turns: list[Owed]) -> tuple[float, list[Owed]]:
        """Seconds until turns of one conversation may be worked on, and the turns; fewer after failures."""
        now = self._host.monotonic()
        free = [owed for owed in turns if owed.is_quiet and owed.not_before <= now]
        if free:
            return 0.0, free
        places = (at for at, owed in enumerate(turns) if owed.not_before > now and owed.tries < PATIENCE)
        ready = [owed for owed in turns[: next(places, len(turns))] if owed.not_before <= now]
        if not ready:
            return min(owed.not_before for owed in turns if owed.not_before > now) - now, []
        pace = self._pace(turns[0].conversation)
        head = next((owed for owed in ready if owed.tries < PATIENCE), min(ready, key=lambda owed: owed.tries))
        alike = [owed for owed in ready if owed.tries == head.tries]
        alike = alike[alike.index(head) :]
        most = min(self._most_read, pace.turns_a_call >> head.tries)
        size = batch_size([len(owed.user_text) for owed in alike], most)
        is_asked = any(asks_to_remember(owed.user_text) for owed in ready)
        is_worth = size >= pace.turns_a_call or head.tries > 0
        return pace.remaining_s(now, is_asked=is_asked, is_worth=is_worth), alike[:size]

    def _pace(self, conversation: str) -> Pace:
        pace = self._paces.get(conversation)
        if pace is None:
            pace = self._paces[conversation] = Pace(self._config.turns_a_call)
        return pace

    def _go_on_later(self) -> None:
        """Have `go_on` called behind work under way."""
        self._host.tell(self._host.address, FactsDue(what=FactsTimer.NEXT))

    def _rest(self, conversation: str) -> None:
        self._active.discard(conversation)
        self._go_on_later()

    def _work_on(self, batch: list[Owed]) -> Steps:
        pace = self._pace(batch[0].conversation)
        calls = pace.balance.calls
        if not all(owed.is_quiet for owed in batch):
            pace.begin(self._host.monotonic())
        try:
            yield from self._work.steps(batch, pace.balance)
        except (LaterError, OSError) as error:
            pace.note_failure(self._host.monotonic())
            self._most_read = getattr(error, "most", 0) or self._most_read
            for owed in batch:
                self._put_off(owed, error)
        else:
            if pace.balance.calls < calls:
                pace.note_success()
                self._most_read = max(self._most_read, min(2 * len(batch), self._config.turns_a_call))
            self.trouble = ""
            self._changed()

    def _put_off(self, owed: Owed, error: LaterError | OSError) -> None:
        """Have a turn tried again later, or give up the turn's facts; the texts stay in any case."""
        is_refused = isinstance(error, LaterError) and error.is_permanent
        owed.tries += 1
        owed.refusals = owed.refusals + 1 if is_refused else 0
        self.failures += 1
        has_failed = isinstance(error, LaterError) and not isinstance(error, ForgottenMeanwhileError)
        is_old = has_failed and owed.tries >= LEAST_TRIES and self._host.now() - owed.at >= MOST_AGE
        if owed.refusals >= MOST_REFUSALS or is_old:
            self.given_up += 1
            self.trouble = f"the facts of a turn are given up after {owed.tries} tries, its words are kept: {error}"
            log.warning("%s", self.trouble)
            self._journal.finish(owed.turn)
            self._changed()
            return
        wait_s = FIRST_PAUSE_S * 2 ** (owed.tries - 1)
        wait_s = wait_s if is_refused else min(wait_s, LONGEST_PAUSE_S)
        owed.not_before = self._host.monotonic() + wait_s
        self.trouble = str(error)
        log.warning("facts of a turn are still owed, which is tried again in %g s: %s", wait_s, error)
