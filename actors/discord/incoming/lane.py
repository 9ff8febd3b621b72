"""Lane of a channel, and what an intake is made of."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from actors.discord.incoming.admission import Admission
from actors.discord.incoming.arrival import Arrival, Hearing
from actors.discord.incoming.authorization import Authorization
from actors.discord.incoming.auto_threads import AutoThreads, OwnThread
from actors.discord.incoming.seen import SeenMessages
from actors.discord.incoming.unpacking import Unpacked
from actors.discord.incoming.watermarks import Watermarks


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Policy of who is heard, where, and how."""

    authorization: Authorization
    """Says whether something is for us."""
    admission: Admission
    """Says how a message is taken."""
    threads: AutoThreads
    """Says whether a message has a thread of its own, and opens it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingRecord:
    """Record of what was heard so far."""

    seen: SeenMessages
    """Messages passed on in this life."""
    watermarks: Watermarks
    """Progress of reading each channel, over all lives."""


class Lane:
    """Queue of one channel: arrivals that wait to be passed on by the holder of the lock."""

    __slots__ = ("lock", "waiting")

    def __init__(self, lock: asyncio.Lock | None = None) -> None:
        self.waiting: deque[Arrival] = deque()
        self.lock = lock or asyncio.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Results of what had to be done before a message was passed on."""

    unpacked: Unpacked | None = None
    """Files of the message."""
    hearing: Hearing | None = None
    """Decision of the admission; None if it is still to be asked."""
    thread: OwnThread | None = None
    """The message's own thread, in which it is answered."""
