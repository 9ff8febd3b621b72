"""Crowd: the people in the threads of a playground, senders of a phase's messages and counters of the answers.

All code runs on the playground's loop, so no wait for another thread occurs.
"""

from __future__ import annotations

import asyncio
import random
from array import array
from collections import deque
from collections.abc import Coroutine, Mapping
from typing import Any

from lab.load.plan import Counted, Phase, State
from lab.load.tally import LoadThread, Standing, Tally
from lab.load.wording import secret_of
from lab.playground.acts.people import create_thread, say
from lab.playground.gateway.events import Event
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID

PEOPLE = 100
"""Number of people who alternate in threads: an agent may limit the messages of one person."""


class Crowd:
    """People in threads. Made beside the playground's loop, and used on the loop only."""

    def __init__(self, server: PlaygroundServer, seed: str, latency_s: float) -> None:
        """Create a silent crowd.

        Args:
            server: A running playground.
            seed: Seed of the secrets, and of all chance.
            latency_s: Latency of the model, for one call.
        """
        self._server = server
        self._seed = seed
        self._chance = random.Random(seed)
        self._people = [server.add_user(f"person {number}") for number in range(PEOPLE)]
        self._ids: list[int] = []
        """Channel of each thread, by number."""
        self._numbers: dict[int, int] = {}
        self.threads: dict[int, LoadThread] = {}
        """By channel."""
        self._tally = Tally(self.threads, latency_s)
        self._phase = Phase(name="", threads=0)
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None
        self._left: dict[int, int] = {}
        """Channel -> remaining messages of the channel's thread, for threads with a fixed number."""
        self._idle: list[int] = []
        """Channels without a pending answer, among the channels of arrivals."""
        self._due: deque[float] = deque()
        """Times of arrivals without a free thread."""
        self._flooded = 0
        """Flooded channel; 0 without a flood."""
        self._in_flight = 0
        """Messages unanswered, without the flood."""
        self._is_arriving = False
        self._sent = self._late = self._commands = self._began_replied = self._began_timed = 0
        self._began_at = 0.0

    async def open_threads(self, count: int) -> None:
        """Open `count` more threads, all private: words there may show in no other thread, even through the memory."""
        for done in range(count):
            self._open_thread()
            if done % 50 == 49:
                await asyncio.sleep(0)

    def begin(self, phase: Phase) -> None:
        """Begin a phase."""
        self._phase = phase
        now = asyncio.get_running_loop().time()
        self._began_at = self._tally.last_at = now
        self._sent = self._late = self._commands = 0
        self._began_replied, self._began_timed = self._tally.replied, len(self._tally.reply_times_s)
        taking_part = self._ids[phase.first : phase.first + phase.threads]
        if phase.flood:
            self._flooded = self._ids[phase.first + phase.threads]
            self.threads[self._flooded].is_timed = False
            self._start(self._flood(phase.flood))
        if phase.turns:
            self._left = dict.fromkeys(taking_part, phase.turns)
            self._in_flight = len(taking_part)
            self._start(self._say_all(taking_part))
        else:
            self._idle = taking_part
            self._is_arriving = True
            self._start(self._arrive())

    def state(self) -> State:
        """Progress of the phase; raises an error that kept a person from speaking."""
        phase = self._phase
        if self._failure is not None:
            raise self._failure
        is_waiting = bool(self._in_flight or self._due or self._flood_is_unanswered())
        return State(
            is_over=not (is_waiting or self._is_arriving),
            replied=self._tally.replied - self._began_replied,
            total=phase.threads * phase.turns or round(phase.rate * phase.seconds),
            silent_s=asyncio.get_running_loop().time() - self._tally.last_at if is_waiting else 0.0,
        )

    def end(self) -> Counted:
        """End the phase, finished or not, and return the counts."""
        for task in self._tasks:
            task.cancel()
        self._left.clear()
        self._due.clear()
        self._idle = []
        self._flooded = self._in_flight = 0
        self._is_arriving = False
        return Counted(
            sent=self._sent,
            replied=self._tally.replied - self._began_replied,
            seconds=self._tally.last_at - self._began_at,
            late=self._late,
            commands=self._commands,
            reply_times_s=array("d", self._tally.reply_times_s[self._began_timed :]),
        )

    def standing(self) -> Standing:
        """Present messages of all phases so far."""
        return self._tally.standing()

    def on_event(self, event: Event) -> None:
        """Count a message of the bot, at the moment of its posting, edit or deletion."""
        channel_id, payload = event.channel_id, event.payload
        if event.name in ("CHANNEL_DELETE", "THREAD_DELETE"):
            self._tally.take_closing(int(payload["id"]))
        elif channel_id is not None and event.name in ("MESSAGE_DELETE", "MESSAGE_DELETE_BULK"):
            self._tally.take_deletion(channel_id, map(int, payload["ids"] if "ids" in payload else [payload["id"]]))
        elif channel_id is not None and event.name in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
            self._hear(channel_id, payload)

    def _hear(self, channel_id: int, payload: Mapping[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        if payload["author"]["id"] != str(BOT_ID):
            return
        if self._tally.take_message(channel_id, int(payload["id"]), payload["content"], loop.time()):
            loop.call_later(self._phase.pause_s, self._on_end_of_turn, channel_id)

    # speaking

    def _say(self, channel_id: int, at: float | None = None) -> None:
        """Say the thread's next message; `at` is the due time, if earlier than now."""
        thread = self.threads[channel_id]
        thread.turns += 1
        if self._phase.command_share and self._chance.random() < self._phase.command_share:
            thread.commands.add(thread.turns)
            self._commands += 1
        self._sent += 1
        person = self._people[self._numbers[channel_id] % PEOPLE]
        self._tally.take_question(channel_id, asyncio.get_running_loop().time() if at is None else at)
        say(self._server.hub, channel_id, thread.text(thread.turns), user=person)

    def _on_end_of_turn(self, channel_id: int) -> None:
        """Say the next message of a thread after the end of its turn, or a due message."""
        if channel_id == self._flooded:
            return
        if channel_id in self._left:
            self._left[channel_id] -= 1
            if self._left[channel_id]:
                self._say(channel_id)
            else:
                del self._left[channel_id]
                self._in_flight -= 1
        elif self._in_flight:
            self._in_flight -= 1
            if self._due:
                self._in_flight += 1
                self._say(channel_id, self._due.popleft())
            elif not self._phase.is_fresh:
                self._idle.append(channel_id)

    async def _say_all(self, channel_ids: list[int]) -> None:
        for channel_id in channel_ids:
            self._say(channel_id)
            await asyncio.sleep(0)  # the bot's connections are served meanwhile

    async def _arrive(self) -> None:
        """Have messages arrive at the phase's rate."""
        loop, phase = asyncio.get_running_loop(), self._phase
        due = self._began_at
        while (due := due + self._chance.expovariate(phase.rate)) < self._began_at + phase.seconds:
            await asyncio.sleep(due - loop.time())
            channel_id = self._open_thread() if phase.is_fresh else self._free_thread()
            if channel_id:
                self._in_flight += 1
                self._say(channel_id)
            else:
                self._late += 1
                self._due.append(due)
        self._is_arriving = False

    async def _flood(self, depth: int) -> None:
        """Keep `depth` messages of the flooded thread unanswered while others speak."""
        thread = self.threads[self._flooded]
        while self._in_flight or self._due or self._is_arriving:
            for _ in range(depth - len(thread.pending)):
                self._say(self._flooded)
            await asyncio.sleep(0.05)

    def _flood_is_unanswered(self) -> bool:
        return bool(self._flooded and self.threads[self._flooded].pending)

    def _free_thread(self) -> int:
        """Any thread without a pending answer; 0 if every thread waits."""
        if not self._idle:
            return 0
        place = self._chance.randrange(len(self._idle))
        self._idle[place], self._idle[-1] = self._idle[-1], self._idle[place]
        return self._idle.pop()

    def _open_thread(self) -> int:
        number = len(self._ids)
        person = self._people[number % PEOPLE]
        channel_id = create_thread(self._server.hub, GENERAL_ID, f"load {number}", user=person, private=True)
        self._ids.append(channel_id)
        self._numbers[channel_id] = number
        self.threads[channel_id] = LoadThread(secret_of(self._seed, number))
        return channel_id

    def _start(self, doing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = error
