"""Watch over a system for connected clients: overheard messages, counts and descriptions, ten times a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from actors.http_server.exchange import Exchange
from actors.kernel import ActorSystem
from actors.kernel.inspection import counters
from actors.observer.census import BUSY, IDLE, RESTING, Census, Seen
from actors.observer.tap import Tap
from actors.observer.turns import Turns
from messages.base import Address, flaw_of
from messages.status import DescribeYourself, SelfDescription

TICK_S = 0.1
TICKS_PER_CENSUS = 10
TICKS_PER_DESCRIPTION = 10
TOLD_AT = 5
"""Ticks from a question for descriptions to the delivery of the answers."""
DESCRIBED_WITHIN_S = 1.0


class Watch:
    """Watch from the first reader's arrival to the last reader's departure; used on the observer's loop."""

    def __init__(self, system: ActorSystem, exchange: Exchange, describers: Callable[[], tuple[Address, ...]]) -> None:
        """Begin without readers.

        Args:
            system: System to overhear.
            exchange: Asks the actors.
            describers: Addresses of actors that can describe themselves.
        """
        self._system = system
        self._exchange = exchange
        self._describers = describers
        self._tap = Tap(system.clock.monotonic)
        self._ticking: asyncio.Task[None] | None = None
        self._readers = 0
        self._ticked = asyncio.Event()
        self.turns = Turns()
        self.census = Census()
        self.described: dict[str, Mapping[str, object]] = {}
        self.ticks = 0

    async def __aenter__(self) -> Watch:
        """Add a reader."""
        self._readers += 1
        if self._ticking is None:
            self._tap = Tap(self._system.clock.monotonic)
            self.turns, self.census, self.ticks = Turns(), Census(), 0
            self._system.overhear(self._tap)
            self._take_census()
            self._ticking = asyncio.create_task(self._tick(), name="observer-ticks")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Remove a reader."""
        self._readers -= 1
        if not self._readers:
            await self.end()

    async def end(self) -> None:
        """Overhear no more, even with readers left."""
        self._system.untap(self._tap)
        ticking, self._ticking = self._ticking, None
        if ticking is not None:
            ticking.cancel()
            await asyncio.wait([ticking])

    async def next_tick(self) -> None:
        """Return at the next possible change."""
        await self._ticked.wait()

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return self._system.clock.monotonic()

    def crash(self) -> dict[str, Any] | None:
        """The newest crash of any actor."""
        crashes = self._system.supervisor.last_crashes()
        if not crashes:
            return None
        last = crashes[-1]
        at = last.at.isoformat(timespec="seconds")
        return {"who": str(last.address), "phase": last.phase, "message": last.message, "error": last.error, "at": at}

    async def _tick(self) -> None:
        asking: asyncio.Task[None] | None = None
        while True:
            for entry in self._tap.take():
                self.turns.hear(entry)
            if not self.ticks % TICKS_PER_CENSUS:
                self._take_census()
            if not self.ticks % TICKS_PER_DESCRIPTION and (asking is None or asking.done()):
                asking = asyncio.create_task(self._describe())
            self.ticks += 1
            ticked, self._ticked = self._ticked, asyncio.Event()
            ticked.set()
            await asyncio.sleep(TICK_S)

    def live_actors(self) -> list[Seen]:
        """All actors at this moment."""
        counts = self._tap.counts
        return [
            Seen(
                mailbox.address,
                len(mailbox.queue),
                RESTING if mailbox.resting else BUSY if mailbox.holds_work() else IDLE,
                counts.get(mailbox.address, 0),
            )
            for mailbox in self._system.mailboxes()
        ]

    def counts(self) -> dict[str, Mapping[str, int]]:
        """Counters of the kernel."""
        return counters(self._system)

    def _take_census(self) -> None:
        self.census.take(self.live_actors(), self.counts(), self.now())

    async def _describe(self) -> None:
        self.described |= await self.figures_now()

    async def figures_now(self) -> dict[str, Mapping[str, object]]:
        """Self-descriptions of all actors, asked now, without actors that do not answer in time."""
        addresses = self._describers()
        questions = (self._exchange.answer_to(each, DescribeYourself, DESCRIBED_WITHIN_S) for each in addresses)
        answers = await asyncio.gather(*questions)
        return {
            str(address): dict(answer.figures + answer.operator_figures)
            for address, answer in zip(addresses, answers, strict=True)
            if isinstance(answer, SelfDescription) and not flaw_of(answer)
        }
