"""Starters of threads: the message that opened a thread, told to the thread's window before the first turn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import islice
from typing import TypeVar

import discord

from actors.discord.calls.parsing import UnreadableAnswerError, WireMessage, read_message
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.incoming.reading.names import guild_of
from domain.turn.discord.wire import number_at, object_at
from messages.base import Surface, Window

log = logging.getLogger(__name__)

FETCH_S = 10.0
"""Seconds that Discord may take for a starter, or a starter on its way into a log; the thread's first turn waits."""
_THREADS = 10_000
T = TypeVar("T")


class Starters:
    """Finder of threads' starters; lives on the loop and outlives each client.

    A thread's own history holds only a notice that names the starter. In a live thread, the notice comes with the
    starter's words; for older threads one call fetches the starter, and only if the window has no log yet.
    """

    def __init__(
        self,
        rest: RestCalls,
        *,
        knows: Callable[[Window], bool],
        awaits: Callable[[WireMessage], bool],
        arrival: Callable[[WireMessage], Awaitable[None]],
    ) -> None:
        """Begin without threads.

        Args:
            rest: Fetches starters.
            knows: True for a window with logs.
            awaits: True for a message that may be in no log yet.
            arrival: Waits while a message is on the way to a log.
        """
        self._rest = rest
        self._knows = knows
        self._awaits = awaits
        self._arrival = arrival
        self._at_hand: dict[int, WireMessage] = {}
        """Thread -> starter brought by a notice."""
        self._settled: dict[int, None] = {}
        """Threads whose starter was told, and threads without a starter."""

    def notice(self, message: WireMessage) -> None:
        """Note the starter in the notice of a new thread."""
        if (starter := starter_in(message)) is not None:
            _remember(self._at_hand, message.channel.id, starter)
            self._settled.pop(message.channel.id, None)

    def forget(self, thread_id: int) -> None:
        """Keep no words of a thread's starter."""
        self._at_hand.pop(thread_id, None)

    def meet_new(self, thread_id: int) -> None:
        """A thread was made just now: a notice follows, or the thread has no starter beside its own first message."""
        if thread_id not in self._at_hand:
            _remember(self._settled, thread_id, None)

    def is_wanted(self, window: Window, message: discord.Message) -> bool:
        """True if a window must be told of the starter before a message."""
        if window.surface is not Surface.DISCORD_THREAD or not window.id.isdecimal():
            return False
        thread_id = int(window.id)
        return thread_id not in self._settled and message.id != thread_id and not self._knows(window)

    async def find(self, window: Window, guild_id: int | None, parent_id: int | None) -> WireMessage | None:
        """Starter of a thread; None for a thread without a starter, or if Discord does not give it.

        A starter on the way to a log is awaited. None also for a starter still to be passed on as a message: a window
        that has a message as a starter would take the message itself for a repetition, and never answer.

        Args:
            window: Of the thread.
            guild_id: Server of the thread.
            parent_id: Parent of the thread; None to ask Discord for it.
        """
        thread_id = int(window.id)
        starter = self._at_hand.pop(thread_id, None)
        if starter is None:
            try:
                async with asyncio.timeout(FETCH_S):
                    starter = await self._rest.persist(
                        "reading a thread's starter", lambda client: _fetch(client, thread_id, guild_id, parent_id)
                    )
            except CallRefusedError:
                starter = None  # the thread was begun from no message, or from a deleted one
            except (TimeoutError, CallFailedError) as error:
                log.warning(
                    "the first message of thread %d is not known: %s", thread_id, str(error) or "no answer came"
                )
                return None
        _remember(self._settled, thread_id, None)
        if starter is None:
            return None
        with suppress(TimeoutError):
            async with asyncio.timeout(FETCH_S):
                await self._arrival(starter)
        return None if self._knows(window) or self._awaits(starter) else starter


def starter_in(message: WireMessage) -> WireMessage | None:
    """Starter in the notice at the head of a thread; None in any other message."""
    raw = object_at(message.wire, "referenced_message")
    if message.type is not discord.MessageType.thread_starter_message or not (place_id := number_at(raw, "channel_id")):
        return None
    place = discord.PartialMessageable(state=message._state, id=place_id, guild_id=guild_of(message))
    return read_message(place, raw)


async def _fetch(client: discord.Client, thread_id: int, guild_id: int | None, parent_id: int | None) -> WireMessage:
    """The starter of a thread, which has the thread's id and stands in the parent, or in the thread of a forum's post.

    Raises:
        CallRefusedError: the channel is no thread that is begun from a message.
        discord.HTTPException: Discord refuses, or cannot.
    """
    thread = client.get_channel(thread_id)
    if parent_id is None and thread is None:
        thread = await client.fetch_channel(thread_id)
    if isinstance(thread, discord.Thread):
        parent_id = None if thread.is_private() else thread.parent_id
    if parent_id is None:
        raise CallRefusedError("it was begun from no message")
    place_id = thread_id if isinstance(client.get_channel(parent_id), discord.ForumChannel) else parent_id
    place = client.get_partial_messageable(place_id, guild_id=guild_id)
    message = read_message(place, await client.http.get_message(place_id, thread_id))
    if message is None:
        raise UnreadableAnswerError("a message came as none")
    return message


def _remember(known: dict[int, T], key: int, value: T) -> None:
    known.pop(key, None)
    known[key] = value
    if len(known) > _THREADS:
        for oldest in list(islice(known, _THREADS // 8)):
            del known[oldest]
