"""TracesActor: sends each ended turn to a collector of traces."""

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
"""Seconds after a turn's end during which open questions may still be answered."""
MOST_WAITING = 1_000
"""Most turns waiting for a refusing collector; beyond this number the oldest are dropped."""
AT_ONCE = 100
"""Turns in a call; halved after each refused call, since the call may have been too large."""


class Send(Message, frozen=True, kw_only=True, gc=False):
    """Time to take overheard messages and to send ended turns (the actor's own timer)."""


class Sends(Protocol):
    """Interface of `exporting.Exporter`."""

    def export(self, traces: list[list[TraceSpan]], epoch: float) -> str:
        """Send traces; the reason of a refusal, or empty."""

    def close(self) -> None:
        """Close the connections."""


class TracesActor(Actor):
    """Sender of traces.

    Owns: the connection to the collector, and the turns waiting for the collector.
    Asks: no actor; overhears all messages.
    Crashes on: its own faults. An absent collector is no crash: turns wait, the newest thousand at most.
    """

    def __init__(self, exporter_of: Callable[[], Sends]) -> None:
        """Begin without messages.

        Args:
            exporter_of: Makes the exporter; may take seconds, since the call loads a library.
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
        """Overhear messages before any slow step: turns may have begun."""
        self._tap = Tap(self.mailbox.system.clock.monotonic)
        self.mailbox.system.overhear(self._tap)
        with self.blocking():
            self._exporter = self._exporter_of()
        self._come_back()

    def handle(self, message: Send | DescribeYourself) -> None:
        """Send ended turns, or describe the sending."""
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
        """Stop listening, send the remaining turns in a single call, and close."""
        self.mailbox.system.untap(self._tap)
        self._hear()
        try:
            self._send(self._now())
        finally:
            if self._exporter is not None:
                with self.blocking():
                    self._exporter.close()

    def _come_back(self) -> None:
        """Reset the only timer: after a crash, the next life handles the same tick again."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.after(EVERY_S, Send())

    def _now(self) -> float:
        return self.mailbox.system.clock.monotonic()

    def _hear(self) -> None:
        for entry in self._tap.take():
            if (turn := self._turns.hear(entry)) is not None:
                self._lost += len(self._over) == MOST_WAITING
                self._over.append(turn)

    def _send(self, until: float) -> None:
        """Send turns ended by `until`, at most `_at_once` turns; refused turns wait."""
        due = [turn for turn in self._over if turn.end is not None and turn.end <= until][: self._at_once]
        if not due or self._exporter is None:
            return
        clock = self.mailbox.system.clock
        epoch = clock.now().timestamp() - clock.monotonic()
        with self.blocking():
            trouble = self._exporter.export([spans_of(turn) for turn in due], epoch)
        if trouble and not self._trouble:
            log.warning("the collector does not accept traces (%s); the newest %d turns wait", trouble, MOST_WAITING)
        elif self._trouble and not trouble:
            log.info("the collector accepts traces again")
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
