"""Passivation: idle actors leave memory; their next message brings the actor back."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from actors.kernel.mailbox import Mailbox
from actors.kernel.spec import ActorSpec

if TYPE_CHECKING:
    from actors.kernel.system import ActorSystem

log = logging.getLogger(__name__)

TICKS_PER_IDLE = 4
CROWD_LOOK_S = 5.0
"""Seconds between two looks at kinds with too many idle actors."""
STAY_TICKS = 2
"""Ticks in memory after an actor's last message, however many actors there are."""


class Sweeper:
    """Passivation by the runner's ticks: at each tick the sweeper asks long-idle actors to leave.

    Of a kind with more than `most_idle` actors in memory, the least recently used leave before their time. Mailboxes
    note the tick of their last run, so a run costs no look at a clock.
    """

    def __init__(self, system: ActorSystem) -> None:
        self._system = system
        self._interval_s = 0.0

    def start(self, specs: Iterable[ActorSpec]) -> None:
        """Begin to sweep, if any kind of actor may leave at all."""
        leaving = [spec for spec in specs if spec.idle_s is not None]
        if leaving:
            wait_s = min(spec.idle_s for spec in leaving if spec.idle_s is not None) / TICKS_PER_IDLE
            is_bounded = any(spec.most_idle is not None for spec in leaving)
            self._interval_s = max(min(wait_s, CROWD_LOOK_S if is_bounded else wait_s), 0.01)
            self._system.clock.call_later(self._interval_s, self._sweep)

    def _sweep(self) -> None:
        self._system.runner.tick += 1
        try:
            for mailbox in self._to_leave():
                if mailbox.take_turn():
                    mailbox.leaving = True
                    self._system.schedule(mailbox)
        except Exception:
            log.exception("a sweep failed; the next one runs as usual")
        self._system.clock.call_later(self._interval_s, self._sweep)

    def _to_leave(self) -> list[Mailbox]:
        """Mailboxes with an actor without work, idle for long enough or beyond the limit."""
        leaving, staying = list[Mailbox](), defaultdict[str, list[Mailbox]](list)
        for mailbox in self._system.mailboxes():
            spec = mailbox.spec
            if spec.idle_s is None or mailbox.queue or mailbox.actor is None or mailbox.is_at_work():
                continue
            if self._system.runner.tick - mailbox.last_used > math.ceil(spec.idle_s / self._interval_s):
                leaving.append(mailbox)
            elif spec.most_idle is not None:
                staying[spec.kind].append(mailbox)
        for idle in staying.values():
            leaving.extend(self._too_many(idle, idle[0].spec.most_idle or 0))
        return leaving

    def _too_many(self, idle: list[Mailbox], most: int) -> list[Mailbox]:
        """Mailboxes beyond `most`, longest unused first; without mailboxes in use just now."""
        if len(idle) <= most:
            return []
        oldest = sorted(idle, key=lambda mailbox: mailbox.last_used)[: len(idle) - most]
        return [mailbox for mailbox in oldest if self._system.runner.tick - mailbox.last_used >= STAY_TICKS]
