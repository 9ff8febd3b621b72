"""Catching up with history: what was said while the bot was away is passed on before anything newer."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass

import discord

from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.incoming.arrival import MessageArrival, is_speech
from actors.discord.incoming.comparison import Comparison
from actors.discord.incoming.intake import Intake
from actors.discord.incoming.seen import Gap
from actors.discord.incoming.window_map import channel_window, thread_window
from messages.base import ChannelId

log = logging.getLogger(__name__)

Talkable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
"""What has a history of its own."""

_PAGE = 100
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Missed:
    """A channel in which something newer than what was read may stand."""

    channel_id: int
    guild_id: int
    window_key: str
    after: int
    """Newest message that was read."""


class CatchUp:
    """Reader of the history since each window's watermark: closes the gap that every new session opens.

    Read are the configured channels and their threads, each from where it was read to. A channel met for the first time
    is not read at all; a thread met for the first time is read from the newest message seen in its server, since
    nothing after that was seen. Only threads that are active, or were archived since then, can hold anything new.
    """

    def __init__(self, *, intake: Intake, rest: RestCalls, comparison: Comparison) -> None:
        """Nothing is read yet.

        Args:
            intake: Passes on what is read.
            rest: Reads it.
            comparison: Looks through what was read before, when this is done.
        """
        self._intake = intake
        self._comparison = comparison
        self._window_map = intake.window_map
        self._rest = rest
        self._limit = asyncio.Semaphore(_AT_ONCE)
        self._absent: dict[str, Gap] = {}
        """Configured channels that were not there when they should have been read."""

    def begin(self, client: discord.Client) -> None:
        """A new session is complete: pass on everything that was missed, then what was held meanwhile."""
        gap = self._intake.gap
        if gap is None:
            return
        started = [
            self._start(channel, self._absent.pop(channel_id, gap))
            for channel_id in sorted(self._window_map.channels)
            if (channel := self._present(client, channel_id, gap)) is not None
        ]
        missed = [each for some in started for each in some]
        self._intake.release(ChannelId(str(each.channel_id)) for each in missed)
        self._read(missed)
        self._comparison.begin()

    def resume(self, guild: discord.Guild) -> None:
        """Channels of a server came: read what was missed in those of them that were not there before."""
        if self._intake.gap is not None:
            return
        for channel_id in sorted(self._absent):
            channel = guild.get_channel_or_thread(int(channel_id))
            if channel is not None:
                missed = self._start(channel, self._absent.pop(channel_id))
                self._intake.keep(ChannelId(str(each.channel_id)) for each in missed)
                self._read(missed)

    def come_back(self, guild: discord.Guild) -> None:
        """A server was out, and nothing was said of it: what was deleted meanwhile is looked for as well."""
        self.resume(guild)
        if self._intake.gap is None:
            self._comparison.begin()

    def _present(self, client: discord.Client, channel_id: str, gap: Gap) -> object | None:
        """The channel; None if it isn't there, which is remembered."""
        channel = client.get_channel(int(channel_id))
        if channel is None:
            log.warning("channel %s is not there, or the bot may not see it", channel_id)
            self._absent.setdefault(channel_id, gap)
        return channel

    # what was missed

    def _start(self, channel: object, gap: Gap) -> list[Missed]:
        """What was missed in a channel and its active threads; its archived ones are asked for."""
        if isinstance(channel, discord.Thread):
            return list(self._missed_in_thread(channel, gap))
        missed = list(self._missed_in_channel(channel, gap))
        if isinstance(channel, discord.TextChannel | discord.ForumChannel):
            for thread in channel.threads:
                missed += self._missed_in_thread(thread, gap)
            if (newest := gap.newest_of(channel.guild.id)) is not None:
                self._intake.spawn(self._read_archived(channel.id, gap, newest))
        return missed

    def _missed_in_channel(self, channel: object, gap: Gap) -> Iterator[Missed]:
        if not isinstance(channel, Talkable):
            return
        key = channel_window(str(channel.id)).address.key
        yield from self._missed_in(channel, key, gap.by_window.get(key))

    def _missed_in_thread(self, thread: discord.Thread, gap: Gap) -> Iterator[Missed]:
        key = thread_window(str(thread.id)).address.key
        yield from self._missed_in(thread, key, gap.by_window.get(key, gap.newest_of(thread.guild.id)))

    def _missed_in(self, channel: Talkable, key: str, after: int | None) -> Iterator[Missed]:
        self._window_map.learn(channel)
        newest = channel.last_message_id or 0
        self._intake.seen.notice(str(channel.id), newest)
        self._intake.seen.witness(channel.guild.id, newest)
        if after is None:
            self._intake.seen.reach(key, newest)
        elif newest > after:
            yield Missed(channel.id, channel.guild.id, key, after)

    # reading it

    def _read(self, missed: Iterable[Missed]) -> None:
        for each in missed:
            self._intake.spawn(self._replay(each))

    async def _read_archived(self, channel_id: int, gap: Gap, newest: int) -> None:
        """Pass on what was missed in threads that were archived since.

        Nothing is held for this list: were it slow, it would hold everything.
        """
        try:
            with self._comparison.behind():
                threads = await self._rest.persist(
                    "listing archived threads", functools.partial(_archived_since, channel_id, newest)
                )
        except (CallRefusedError, CallFailedError) as error:
            log.warning("threads of channel %d archived meanwhile are not read: %s", channel_id, error)
            return
        missed = [each for thread in threads for each in self._missed_in_thread(thread, gap)]
        self._intake.keep(ChannelId(str(each.channel_id)) for each in missed)
        self._read(missed)

    async def _replay(self, missed: Missed) -> None:
        try:
            with self._comparison.behind():
                async with self._limit:
                    await self._intake.replay(ChannelId(str(missed.channel_id)), self._arrivals(missed))
        except (CallRefusedError, CallFailedError) as error:
            log.error("what was said in channel %d while away could not be read: %s", missed.channel_id, error)

    async def _arrivals(self, missed: Missed) -> AsyncIterator[MessageArrival]:
        after = missed.after
        while True:
            page = await self._rest.persist("reading history", functools.partial(_page, missed, after))
            for message in page:
                self._intake.seen.notice(str(missed.channel_id), message.id)
                if is_speech(message):
                    yield MessageArrival.of(message)
            if page:
                after = page[-1].id
                self._intake.seen.reach(missed.window_key, after)
            if len(page) < _PAGE:
                return


async def _page(missed: Missed, after: int, client: discord.Client) -> list[discord.Message]:
    """The next messages after `after`, oldest first."""
    channel = client.get_partial_messageable(missed.channel_id, guild_id=missed.guild_id)
    history = channel.history(limit=_PAGE, after=discord.Object(after), oldest_first=True)
    return [message async for message in history]


async def _archived_since(channel_id: int, newest: int, client: discord.Client) -> list[discord.Thread]:
    """Public threads that were archived after the message `newest` was written."""
    channel = client.get_channel(channel_id)
    threads: list[discord.Thread] = []
    if isinstance(channel, discord.TextChannel | discord.ForumChannel):
        since = discord.utils.snowflake_time(newest)
        async for thread in channel.archived_threads(limit=None):
            if thread.archive_timestamp < since:
                break
            threads.append(thread)
    return threads
