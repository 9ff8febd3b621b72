"""FeedActor: follows runs while a client reads, and hands out their events piece by piece."""

from __future__ import annotations

from dataclasses import dataclass

from actors.feed.ring import Ring
from actors.kernel import Actor, Timer, earliest, not_understood
from domain.turn.run_line import run_line
from messages.forget import ForgetDerived, answer_derived
from messages.status import RUNS, EventsRead, FeedMessage, FeedTick, ReadEvents, RunEvent

MOST_EVENTS = 5_000
MOST_CHARS = 4_000_000
"""Characters of all kept events."""
ANSWER_CHARS = 2_000_000
"""Characters of one answer; encoding may double the size."""
GATHERS_S = 0.05
"""Events within this time after an event go out in the same answer."""
KEEPS_S = 120.0
"""After so long without a reader, events are dropped and runs are not followed any more."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """A request waiting for the next event."""

    request: ReadEvents
    after: int
    until_s: float


class FeedActor(Actor):
    """Owner of the newest events of all windows' runs, and of the requests that wait for the next event.

    Owns: a ring in memory, emptied by a crash; its places begin with the clock, so places of an earlier life are
        recognised.
    Asks: no actor; follows the topic of runs while a client reads, and costs windows no time otherwise.
    Crashes on: any defect.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ring = Ring(MOST_EVENTS, MOST_CHARS)
        self._readers: list[_Reader] = []
        self._asked_s: float | None = None
        """Time of the last request; None while no client reads."""
        self._timer: Timer | None = None

    def on_start(self) -> None:
        """Begin with places beyond those of earlier lives."""
        self._ring = Ring(MOST_EVENTS, MOST_CHARS, int(self.now().timestamp() * 1_000_000))

    def on_stop(self) -> None:
        """Follow no topic, and answer all waiting requests."""
        self.leave(RUNS)
        for reader in self._readers:
            self._answer(reader)

    def handle(self, message: FeedMessage | RunEvent | ForgetDerived) -> None:
        """Keep an event, or answer a request."""
        if isinstance(message, RunEvent):
            self._ring.add(run_line(message))
            if self._readers:
                self._tick_in(GATHERS_S)
        elif isinstance(message, ReadEvents):
            self._read(message)
        elif isinstance(message, ForgetDerived):
            count = len(self._ring)
            self._ring.skip()
            self.tell(message.reply_to, answer_derived(message, self.address.kind, count))
        elif isinstance(message, FeedTick):
            self._timer = None
            self._tick()
        else:
            not_understood(message)

    def _read(self, request: ReadEvents) -> None:
        now_s = self.monotonic()
        self._asked_s = now_s
        self.follow(RUNS)
        after = self._ring.last if request.after is None else request.after
        reader = _Reader(request, after, now_s + request.wait_s)
        if request.wait_s and after == self._ring.last:
            self._readers.append(reader)
            self._tick_in(request.wait_s)
        else:
            self._answer(reader)
            self._tick_in(KEEPS_S)

    def _tick(self) -> None:
        """Answer requests that have events or have waited long enough; later drop all events."""
        now_s = self.monotonic()
        readers, self._readers = self._readers, []
        for reader in readers:
            if reader.after < self._ring.last or now_s >= reader.until_s:
                self._answer(reader)
            else:
                self._readers.append(reader)
        if self._readers:
            self._tick_in(min(reader.until_s for reader in self._readers) - now_s)
        elif self._asked_s is not None:
            left_s = self._asked_s + KEEPS_S - now_s
            if left_s > 0:
                self._tick_in(left_s)
            else:
                self._asked_s = None
                self._ring.skip()
                self.leave(RUNS)

    def _answer(self, reader: _Reader) -> None:
        request, ring = reader.request, self._ring
        if ring.begin <= reader.after <= ring.last:
            events, last, missed = ring.after(reader.after, ANSWER_CHARS)
        else:
            events, last, missed = (), ring.last, 1  # a place of an earlier life: the number of events since is unknown
        self._asked_s = self.monotonic()
        answer = EventsRead(request_id=request.request_id, events=events, last=last, missed=missed)
        self.tell(request.reply_to, answer)

    def _tick_in(self, delay_s: float) -> None:
        """Tick in `delay_s` at the latest."""
        self._timer = earliest(self, self._timer, delay_s, FeedTick())
