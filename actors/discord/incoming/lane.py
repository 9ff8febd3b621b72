"""Lane of a channel, and the parts of an intake."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from actors.discord.calls.parsing import WireMessage
from actors.discord.incoming.admission import Admission
from actors.discord.incoming.arrival import Arrival, Hearing, is_heard
from actors.discord.incoming.authorization import Authorization
from actors.discord.incoming.auto_threads import AutoThreads, OwnThread
from actors.discord.incoming.seen import SeenMessages
from actors.discord.incoming.unpacking import Unpacked
from actors.discord.incoming.watermarks import Watermarks


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules for hearing people, by place and manner."""

    authorization: Authorization
    """Decides if an event is for the bot."""
    admission: Admission
    """Says how a message is taken."""
    threads: AutoThreads
    """Decides if a message has a thread of its own, and opens the thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingRecord:
    """Record of messages heard so far."""

    seen: SeenMessages
    """Messages passed on or refused in this life."""
    watermarks: Watermarks
    """Progress of reading each channel, over all lives."""

    def awaits(self, message: WireMessage) -> bool:
        """True if a person's message may be in no log: on the way there, or still to be found in history."""
        channel_id, number = message.channel.id, message.id
        if not is_heard(message) or not self.watermarks.has(channel_id):
            return False
        is_unknown = not self.seen.has(number) and self.watermarks.lacks(channel_id, number)
        return is_unknown or self.watermarks.is_on_way(channel_id, number)

    async def arrival(self, message: WireMessage) -> None:
        """Return when a message is on the way to a log no longer."""
        await self.watermarks.arrival(message.channel.id, message.id)


class Lane:
    """Queue of one channel: arrivals to be passed on by the holder of the lock."""

    __slots__ = ("lock", "waiting")

    def __init__(self, lock: asyncio.Lock | None = None) -> None:
        self.waiting: deque[Arrival] = deque()
        self.lock = lock or asyncio.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Results of the work done before a message was passed on."""

    unpacked: Unpacked | None = None
    """Files of the message."""
    hearing: Hearing | None = None
    """Decision of the admission; None before the decision."""
    thread: OwnThread | None = None
    """The message's own thread, in which it is answered."""
