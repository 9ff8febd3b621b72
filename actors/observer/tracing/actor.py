"""TracesActor: sends each turn that has ended to a collector of traces."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Protocol

from actors.kernel import Actor, Timer, not_understood
from actors.observer.tap import Tap
from actors.observer.tracing.spans import TraceSpan, spans_of
from actors.observer.turns import Turn, Turns
from messages.base import Message, make_ready
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

EVERY_S = 1.0
SETTLE_S = 2.0
"""After a turn's end, in which questions that were still open may be answered."""
MOST_WAITING = 1_000
"""Turns that wait for a collector that does not take them; the oldest go."""
AT_ONCE = 100
"""Turns in one call; half as many after each that is not taken, for it may be too large."""


class Send(Message, frozen=True, kw_only=True, gc=False):
    """Time to take what was heard and to send what is over (the actor's own timer)."""


class Sends(Protocol):
    """What exports; `exporting.Exporter`."""

    def export(self, traces: list[list[TraceSpan]], epoch: float) -> str:
        """Send traces; why they were not taken, or empty."""

    def close(self) -> None:
        """Close its connections."""


class TracesActor(Actor):
    """Sender of traces.

    Owns: the connection to the collector, and the turns that wait for it.
    Asks: nobody; hears what all are told.
    Crashes on: its own faults. A collector that is away is no crash: turns wait, the newest thousand of them.
    """

    def __init__(self, exporter_of: Callable[[], Sends]) -> None:
        """Nothing is heard yet.

        Args:
            exporter_of: Makes what knows where traces go; may take seconds, for a library is loaded.
        """
        super().__init__()
        self._exporter_of = exporter_of
        self._exporter: Sends | None = None
        self._turns = Turns()
        self._over: deque[Turn] = deque(maxlen=MOST_WAITING)
        self._at_once = AT_ONCE
        self._sent = self._lost = 0
        self._trouble = ""
        self._timer: Timer | None = None

    def on_start(self) -> None:
        """Listen, before anything that takes time: turns may have begun."""
        self._tap = Tap(self.mailbox.system.clock.monotonic)
        self.mailbox.system.overhear(self._tap)
        with self.blocking():
            self._exporter = self._exporter_of()
        self._come_back()

    def handle(self, message: Send | DescribeYourself) -> None:
        """Send what is over, or say how that goes."""
        match message:
            case Send():
                self._hear()
                self._send(self._now() - SETTLE_S)
                self._come_back()
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case _:
                not_understood(message)

    def on_stop(self) -> None:
        """Hear no more, send what is there in one call, and close."""
        self.mailbox.system.hush(self._tap)
        self._hear()
        try:
            self._send(self._now())
        finally:
            if self._exporter is not None:
                with self.blocking():
                    self._exporter.close()

    def _come_back(self) -> None:
        """Look again in a while, and no more often: what a crash had in hand is handled by the next life as well."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.after(EVERY_S, Send())

    def _now(self) -> float:
        return self.mailbox.system.clock.monotonic()

    def _hear(self) -> None:
        for heard in self._tap.take():
            if (turn := self._turns.hear(heard)) is not None:
                self._lost += len(self._over) == MOST_WAITING
                self._over.append(turn)

    def _send(self, until: float) -> None:
        """Send the turns that have ended until then, so many at once; those that are not taken wait."""
        due = [turn for turn in self._over if turn.end is not None and turn.end <= until][: self._at_once]
        if not due or self._exporter is None:
            return
        clock = self.mailbox.system.clock
        epoch = clock.now().timestamp() - clock.monotonic()
        with self.blocking():
            trouble = self._exporter.export([spans_of(turn) for turn in due], epoch)
        if trouble and not self._trouble:
            log.warning("traces are not taken (%s); the newest %d turns wait", trouble, MOST_WAITING)
        elif self._trouble and not trouble:
            log.info("traces are taken again")
        self._trouble = trouble
        self._at_once = max(1, self._at_once // 2) if trouble else AT_ONCE
        if not trouble:
            self._sent += len(due)
            for _ in due:
                self._over.popleft()

    def _description(self, message: DescribeYourself) -> SelfDescription:
        return SelfDescription(
            request_id=message.request_id,
            about=self.address.kind,
            figures=(),
            operator_figures=(
                ("turns_sent", self._sent),
                ("turns_waiting", len(self._over)),
                ("turns_lost", self._lost),
                ("trouble", self._trouble or "none"),
            ),
        )


make_ready(__name__)
