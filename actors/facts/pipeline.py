"""Pipeline of owed work: one turn of a conversation after another, a few conversations side by side."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from actors.facts.asking import Asking, Steps
from actors.facts.config import FactsConfig
from actors.facts.store.journal import Owed
from actors.facts.turn_work import LaterError, TurnWork
from actors.kernel import Host
from messages.facts import FactsDue, FactsTimer

log = logging.getLogger(__name__)

MOST_RETRY_S = 900.0
PATIENCE = 3
"""Failures after which a turn no longer holds up later ones of its conversation."""


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
        """Nothing is under way; what the journal has is begun by `go_on`.

        Args:
            host: The actor.
            config: Number of conversations at a time.
            asking: Runs the steps.
            work: Makes them, and has the journal.
            changed: Told when a turn's work is done.
            wake: Has `go_on` called after so many seconds.
        """
        self._host = host
        self._config = config
        self._asking = asking
        self._work = work
        self._journal = work.journal
        self._changed = changed
        self._wake = wake
        self._active: set[str] = set()
        """Conversations of which a turn is worked on."""
        self.failures = 0
        self.trouble = ""

    @property
    def waiting(self) -> int:
        """Number of finished turns that still need work."""
        return sum(owed.answered_at is not None for owed in self._journal.owed.values())

    def go_on(self) -> None:
        """Begin what may begin now, and come back when the next of what failed may."""
        now = self._host.monotonic()
        held: set[str] = set()
        waits: list[float] = []
        for owed in list(self._journal.owed.values()):
            if len(self._active) >= self._config.pipelines:
                return
            if owed.answered_at is None or owed.conversation in self._active or owed.conversation in held:
                continue
            if owed.not_before > now:
                waits.append(owed.not_before - now)
                if owed.tries < PATIENCE:
                    held.add(owed.conversation)
                continue
            self._active.add(owed.conversation)
            self._asking.begin(self._guarded(owed), partial(self._rest, owed.conversation))
        if waits:
            self._wake(min(waits))

    def _rest(self, conversation: str) -> None:
        self._active.discard(conversation)
        self._host.tell(self._host.address, FactsDue(what=FactsTimer.NEXT))

    def _guarded(self, owed: Owed) -> Steps:
        try:
            yield from self._work.steps(owed)
        except (LaterError, OSError) as error:
            owed.tries += 1
            wait_s = min(self._config.retry_s * 2 ** (owed.tries - 1), MOST_RETRY_S)
            owed.not_before = self._host.monotonic() + wait_s
            self.failures += 1
            self.trouble = str(error)
            log.warning("facts of a turn are still owed, which is tried again in %g s: %s", wait_s, error)
        else:
            self.trouble = ""
            self._changed()
