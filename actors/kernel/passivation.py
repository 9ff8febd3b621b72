"""Passivation: idle actors leave memory; their next message brings them back."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from actors.kernel.mailbox import Mailbox
from actors.kernel.spec import ActorSpec

if TYPE_CHECKING:
    from actors.kernel.system import ActorSystem

log = logging.getLogger(__name__)

TICKS_PER_IDLE = 4


class Sweeper:
    """Passivation by the runner's ticks: at each one it asks the actors that were idle for long enough to leave.

    Mailboxes note the tick at which they last ran, so that running one costs no look at a clock.
    """

    def __init__(self, system: ActorSystem) -> None:
        self._system = system
        self._interval_s = 0.0

    def start(self, specs: Iterable[ActorSpec]) -> None:
        """Begin to sweep, if any kind of actor may leave at all."""
        idle = [spec.idle_s for spec in specs if spec.idle_s is not None]
        if idle:
            self._interval_s = max(min(idle) / TICKS_PER_IDLE, 0.01)
            self._system.clock.call_later(self._interval_s, self._sweep)

    def _sweep(self) -> None:
        self._system.runner.tick += 1
        try:
            for mailbox in self._system.mailboxes():
                if self._is_idle(mailbox) and mailbox.take_turn():
                    mailbox.leaving = True
                    self._system.schedule(mailbox)
        except Exception:
            log.exception("a sweep failed; the next one comes all the same")
        self._system.clock.call_later(self._interval_s, self._sweep)

    def _is_idle(self, mailbox: Mailbox) -> bool:
        idle_s, actor = mailbox.spec.idle_s, mailbox.actor
        if idle_s is None or mailbox.queue or actor is None or actor.in_progress:
            return False
        return self._system.runner.tick - mailbox.last_used > math.ceil(idle_s / self._interval_s)
