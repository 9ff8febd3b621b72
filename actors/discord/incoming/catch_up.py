"""Catching up with history: messages from the bot's absence are passed on before newer messages."""

from __future__ import annotations

import asyncio
import functools
import itertools
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress

import discord

from actors.discord.calls.archives import ListThreads, active_threads, archived_since, archives_of
from actors.discord.calls.history import GapPage, Page, newest_id, read_next_page
from actors.discord.calls.parsing import WireMessage
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls, is_final
from actors.discord.calls.rounds import Rounds
from actors.discord.calls.turns import Turns
from actors.discord.incoming.arrival import MessageArrival, is_heard
from actors.discord.incoming.comparison import Comparison
from actors.discord.incoming.intake import Intake
from actors.discord.incoming.lane import Lane
from actors.discord.incoming.places.window_map import NoWindow
from actors.discord.incoming.watermarks import ENDLESS
from actors.discord.timing import Timing, backoff
from messages.base import ChannelId, Surface, Window

log = logging.getLogger(__name__)

Talkable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
"""Channels with a history of their own."""

_AT_ONCE = 8
"""Calls under way, not counting calls without an answer from Discord."""


class CatchUp:
    """Reader of the history since each channel's watermark: closes the gaps that every new session opens.

    Reads the configured channels, their threads and the direct messages, each from the watermark on. A newly met
    configured channel is not read at all; a newly met thread of the channel, or conversation, is read back as far as
    missed messages are answered, but not to before the channel was met. Messages from a channel's history go before new
    messages there, but not for longer than `Timing.gap_hold_s`: a gap that stays unreadable for so long stays open, is
    tried again for ever, and is passed on late. History that Discord denies the bot is looked into every ten minutes,
    since people may open it again; a gap is given up only if the channel is gone.
    """

    def __init__(self, *, intake: Intake, rest: RestCalls, comparison: Comparison, timing: Timing) -> None:
        """Begin without reading.

        Args:
            intake: Passes on the messages that are read.
            rest: Reads history.
            comparison: Looks through earlier messages afterwards.
            timing: Bounds on the wait for history.
        """
        self.intake = intake
        self._watermarks = intake.watermarks
        self._window_map = intake.window_map
        self._comparison = comparison
        self._rest = rest
        self._timing = timing
        self._turns = Turns(_AT_ONCE, timing.turn_s)
        self._rounds = Rounds(self._look, comparison.is_free, self._to_look_at, timing, survey=self._survey_threads)
        self._late: set[int] = set()
        """Channels whose new messages no longer wait for history."""
        self._guilds: dict[int, int] = {}
        """Channel -> its server; 0 for a conversation with one person."""

    # sessions

    async def begin(self, client: discord.Client) -> None:
        """Begin a complete new session: pass on all missed messages, then the messages held meanwhile.

        Returns when the progress in newly met channels is kept, or the disk takes too long: later messages are found
        again.
        """
        if not self.intake.is_holding:
            return
        session = self._watermarks.session
        self._watermarks.begin(newest_id(client))
        missed: list[int] = []
        for channel_id in sorted(map(int, self._window_map.channels)):
            channel = client.get_channel(channel_id)
            missed += self._meet_all(channel)
        missed += self._meet_direct()
        self.intake.notice_held()
        await self._secure_watermarks()
        if session != self._watermarks.session:
            return  # Another has begun meanwhile, which has all of this before it.
        missed += [each.channel.id for each in self.intake.oldest_waiting() if self._is_missing_before(each)]
        self.intake.release(map(_lane, missed))
        self._read(missed)
        self._comparison.begin()
        self._rounds.plan()

    def look(self) -> None:
        """Continue a session after a break, in which events may be missing in spite of the resumption."""
        if not self.intake.is_holding:
            self._rounds.begin()

    def _to_look_at(self) -> list[int]:
        """Channels in which an event may be missing."""
        configured = [each for each in sorted(map(int, self._window_map.channels)) if self._watermarks.has(each)]
        return list(dict.fromkeys([*configured, *self._watermarks.to_look_at()]))

    async def _survey_threads(self) -> list[int]:
        """Meet unknown threads; return threads with newer messages than any event told, to read their history."""
        newer: list[int] = []
        for guild_id in dict.fromkeys(filter(None, self._guilds.values())):
            list_threads = functools.partial(active_threads, guild_id)
            for thread in await self._rest.persist("listing active threads", list_threads, self._turns):
                known = self._watermarks.newest_known
                if not self._watermarks.is_current(thread.id):
                    self.meet_thread(thread)
                    known = self._watermarks.newest_confirmed  # A thread made in this session is met without a gap.
                if self._watermarks.is_current(thread.id) and (thread.last_message_id or 0) > known(thread.id):
                    newer.append(thread.id)
        return newer

    async def _secure_watermarks(self) -> None:
        """Return when all watermarks are kept, or the disk takes too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timing.disk_timeout_s):
                await self._watermarks.secure()

    def resume(self, guild: discord.Guild) -> None:
        """Read missed messages in channels that have become available with their server."""
        if self.intake.is_holding:
            return
        for channel_id in sorted(map(int, self._window_map.channels)):
            channel = guild.get_channel_or_thread(channel_id)
            if channel is not None and not self._watermarks.is_current(channel_id):
                self._watermarks.begin(newest_id(guild))
                self._look_into(self._meet_all(channel))

    def go_out(self, guild: discord.Guild) -> None:
        """Note a server's outage: no message from the server arrives, though the session goes on."""
        self._watermarks.miss(channel_id for channel_id, its in self._guilds.items() if its == guild.id)

    def come_back(self, guild: discord.Guild) -> None:
        """Recover from a server's outage: read the messages since, look for deleted messages."""
        self.go_out(guild)  # Discord may say no more than that it is there again.
        self.resume(guild)
        if not self.intake.is_holding:
            self._comparison.begin()

    def hear(self, message: WireMessage) -> None:
        """Take a message; where earlier messages may be missing, history is read first."""
        if is_heard(message) and not self.intake.is_holding and self._is_missing_before(message):
            self._look_into([message.channel.id])
        self.intake.hear(message)

    def _is_missing_before(self, message: discord.Message) -> bool:
        """True if history must be read before a message, for example the first of its channel in this session."""
        channel, window = message.channel, self._window_map.window_of(message.channel)
        if window is NoWindow.ELSEWHERE or self._watermarks.is_current(channel.id):
            return False
        surface = window.surface if isinstance(window, Window) else None
        is_first = not self._watermarks.has(channel.id)
        parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
        self._guilds[channel.id] = message.guild.id if message.guild is not None else 0
        is_missing = self._watermarks.meet(channel.id, surface, message.id - 1, parent_id)
        return is_missing or (is_first and surface is Surface.DISCORD_DM)

    # what may have been missed

    def _meet_all(self, channel: object) -> list[int]:
        """Ids of a channel and its active threads, as far as messages are missing; archived threads follow."""
        if isinstance(channel, discord.Thread):
            return self._meet(channel, is_configured=True)
        if not isinstance(channel, discord.abc.GuildChannel):
            return []
        is_first = not self._watermarks.has(channel.id)
        is_named = str(channel.id) in self._window_map.configured
        missed = self._meet(channel, is_configured=is_named or not self._watermarks.is_made_while_away(channel.id))
        if isinstance(channel, discord.TextChannel | discord.ForumChannel):
            for thread in channel.threads:
                missed += self._meet(thread)
            if not is_first:
                for archive in archives_of(channel):
                    list_threads = functools.partial(archived_since, channel.id, archive, self._watermarks.horizon)
                    self.intake.spawn(self._meet_archived(channel.id, list_threads))
        return missed

    def _meet(self, channel: discord.abc.GuildChannel | discord.Thread, *, is_configured: bool = False) -> list[int]:
        window = self._window_map.learn(channel)
        if not isinstance(window, Window):
            return []
        newest = (channel.last_message_id or 0) if isinstance(channel, Talkable) else 0
        self.intake.seen.notice(str(channel.id), newest)
        self._guilds[channel.id] = channel.guild.id
        parent_id = channel.parent_id if isinstance(channel, discord.Thread) and not is_configured else None
        is_missing = self._watermarks.meet(channel.id, window.surface, newest, parent_id, is_configured=is_configured)
        return [channel.id] if is_missing else []

    def _meet_direct(self) -> list[int]:
        """Direct conversations with one person each; Discord neither lists them nor tells the newest message."""
        if not self._window_map.hears_dms:
            return []
        return [each for each in self._watermarks.direct() if self._watermarks.meet(each, Surface.DISCORD_DM, ENDLESS)]

    async def _meet_archived(self, channel_id: int, list_threads: ListThreads) -> None:
        """Pass on missed messages of threads archived since; no message waits for this list, however long."""
        threads: list[discord.Thread] | None = None
        for attempt in itertools.count(1):
            try:
                threads = await self._rest.persist("listing archived threads", list_threads, self._turns)
            except (CallRefusedError, CallFailedError) as error:
                if is_final(error):
                    log.warning("threads of channel %d archived meanwhile are not read: %s", channel_id, error)
                    return
                log.error("threads of channel %d archived meanwhile are read later: %s", channel_id, error)
                await asyncio.sleep(self._pause_s(attempt))
            else:
                break
        current = self._watermarks.is_current
        self._look_into([each for thread in threads or () if not current(thread.id) for each in self._meet(thread)])

    def meet_thread(self, thread: discord.Thread) -> None:
        """Note a thread that was made, has returned, or took the bot in; the messages are found without an event."""
        if not self.intake.is_holding and not self._watermarks.is_current(thread.id):
            self._look_into(self._meet(thread))

    # reading it

    def _look_into(self, channel_ids: Iterable[int]) -> None:
        """Read missing messages of channels without held messages."""
        channel_ids = list(channel_ids)
        self.intake.keep(map(_lane, channel_ids))
        self._read(channel_ids)

    def _read(self, channel_ids: Iterable[int]) -> None:
        for channel_id in channel_ids:
            self.intake.spawn(self._close_gaps(channel_id, self.intake.lane(_lane(channel_id))))

    async def _close_gaps(self, channel_id: int, lane: Lane) -> None:
        """Pass on the missing messages of a channel: before new messages there, or late if reading takes too long.

        Only this task passes on the messages in the channel's lane from the beginning, even if a new session begins.
        """
        if self._watermarks.surface_of(channel_id) is Surface.DISCORD_DM:
            await self._secure_watermarks()  # Discord lists no conversations: what is not kept is not found again.
        try:
            with self._comparison.behind():
                await self.intake.replay(_lane(channel_id), lane, self._missing(channel_id))
        except (CallRefusedError, CallFailedError) as error:
            if is_final(error):
                self._give_up(channel_id, error)
                return
            log.error("messages missed in channel %d are passed on later: %s", channel_id, error)
            await self._close_late(channel_id)
        except Exception:
            log.exception("messages missed in channel %d are passed on later", channel_id)
            await self._close_late(channel_id)

    async def _close_late(self, channel_id: int) -> None:
        """Read a gap without waiting messages; retried for ever."""
        if channel_id not in self._late:
            self._late.add(channel_id)
            try:
                await self._persevere(channel_id)
            finally:
                self._late.discard(channel_id)

    async def _persevere(self, channel_id: int) -> None:
        for attempt in itertools.count(1):
            await asyncio.sleep(self._pause_s(attempt))
            gaps = self._watermarks.gaps(channel_id)
            if not gaps:
                return
            try:
                page = await self._page(channel_id, gaps[0].after)
                lane = self.intake.lane(_lane(channel_id))
                await self.intake.replay(_lane(channel_id), lane, self._missing(channel_id, page))
            except (CallRefusedError, CallFailedError) as error:
                if is_final(error):
                    self._give_up(channel_id, error)
                    return
                log.warning("channel %d is still not read: %s", channel_id, error)
            except Exception:
                log.exception("channel %d is still not read", channel_id)

    def _give_up(self, channel_id: int, error: Exception) -> None:
        log.error("messages missed in channel %d cannot be read: %s", channel_id, error)
        if isinstance(error.__cause__, discord.NotFound):
            self._watermarks.give_up(channel_id)
        else:
            self._watermarks.put_off(channel_id)

    async def _missing(self, channel_id: int, begun: GapPage | None = None) -> AsyncIterator[MessageArrival]:
        """Messages of a channel's gaps, oldest first; a gap shrinks by a page when the page is known to be under way.

        Args:
            channel_id: Channel to read.
            begun: A page that was read already.

        Raises:
            CallRefusedError, CallFailedError: as `RestCalls.persist` does.
        """
        while begun is not None or self._watermarks.gaps(channel_id):
            read, begun = begun or await self._first_page(channel_id), None
            page = read.page
            for message in page.messages:
                self.intake.seen.notice(str(channel_id), message.id)
                self.intake.preparation.starters.notice(message)
            messages = await self._to_pass_on(channel_id, page)
            for message in messages:
                self._watermarks.notice(channel_id, message.id)
            self._watermarks.fill_page(
                channel_id, read.after, page.newest, joins=read.joins, reached=read.reached, is_last=page.is_last
            )
            for message in messages:
                yield MessageArrival.of(message, is_live=False)

    async def _look(self, channel_id: int) -> bool:
        """Pass on messages of a channel's history without an event; True if more pages follow a page without a failure.

        Raises:
            CallRefusedError, CallFailedError: as `RestCalls.persist` does.
        """
        if not self._watermarks.is_current(channel_id) or self._watermarks.gaps(channel_id):
            return False  # It is read anyway.
        read = await self._page(channel_id, self._watermarks.newest_confirmed(channel_id))
        if any(map(self._is_unknown, read.page.messages)):
            log.warning("channel %d: a message that is in no log is passed on now", channel_id)
        lane = self.intake.lane(_lane(channel_id))
        await self.intake.replay(_lane(channel_id), lane, self._missing(channel_id, read))
        return not read.page.is_last and self._watermarks.newest_confirmed(channel_id) > read.after

    async def _to_pass_on(self, channel_id: int, page: Page) -> list[WireMessage]:
        """Messages of a page that were passed on neither in this life nor, by the window's logs, in an earlier life.

        Raises:
            CallFailedError: the window does not answer, and would not notice the repetition of a message that gets a
                thread now.
        """
        unknown = [message for message in page.messages if self._is_unknown(message)]
        window = Window(surface=self._watermarks.surface_of(channel_id), id=str(channel_id))
        if not unknown or not self._watermarks.knows(window):
            return unknown
        may_move = window.surface is Surface.DISCORD_CHANNEL and self._opens_threads(channel_id)
        logged = await self._comparison.logged_ids(window, is_needed=may_move)
        # A message on its way before may be unknown now: the window could not log the message meanwhile.
        return [message for message in page.messages if message.id not in logged and self._is_unknown(message)]

    def _opens_threads(self, channel_id: int) -> bool:
        return self.intake.policy.rule_of(discord.Object(channel_id)).opens_threads

    def _is_unknown(self, message: WireMessage) -> bool:
        """True if a message in a page of history is a person's, and was not passed on in this life."""
        is_new = self._watermarks.lacks(message.channel.id, message.id) and not self.intake.seen.has(message.id)
        return is_new and is_heard(message)

    async def _first_page(self, channel_id: int) -> GapPage:
        """First missing page; tried for as long as other channels may wait for a page.

        Raises:
            CallRefusedError: Discord refuses the page.
            CallFailedError: the page did not come in time.
        """
        after = self._watermarks.gaps(channel_id)[0].after
        try:
            async with asyncio.timeout(self._timing.gap_hold_s):
                while True:
                    with suppress(CallFailedError):
                        return await self._page(channel_id, after)
                    await asyncio.sleep(self._timing.backoff_limit_s)
        except TimeoutError:
            raise CallFailedError(f"history did not come within {self._timing.gap_hold_s:g} s") from None

    async def _page(self, channel_id: int, after: int) -> GapPage:
        joins, reached = self._watermarks.joins(channel_id), self._watermarks.newest_known(channel_id)

        async def call(client: discord.Client) -> Page:
            return await read_next_page(client, self._messageable(client, channel_id), after=after)

        page = await self._rest.persist("reading history", call, self._turns)
        if not page.is_last and page.newest <= after:
            raise CallFailedError("Discord gave messages that were not asked for")
        if page.unreadable:
            log.error("%d messages in channel %d cannot be read and are left out", page.unreadable, channel_id)
        return GapPage(after, joins, reached, page)

    def _messageable(self, client: discord.Client, channel_id: int) -> discord.abc.MessageableChannel:
        if self._watermarks.surface_of(channel_id) is Surface.DISCORD_DM:
            # There is no public way to a conversation of an earlier life but a call for each.
            return discord.DMChannel._from_message(client._connection, channel_id)
        return client.get_partial_messageable(channel_id, guild_id=self._guilds.get(channel_id) or None)

    def _pause_s(self, attempt: int) -> float:
        return backoff(attempt, self._timing.gap_again_s, self._timing.gap_again_limit_s)


def _lane(channel_id: int) -> ChannelId:
    return ChannelId(str(channel_id))
