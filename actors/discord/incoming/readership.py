"""Readership of windows: readers of each window, sent to listeners, and compared at each new session."""

from __future__ import annotations

import functools
import logging
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.incoming.places.audience import readers_of
from actors.discord.incoming.places.window_map import WindowMap, channel_window, thread_window
from actors.discord.incoming.watermarks import Watermarks
from actors.kernel import Host
from messages.base import Address, Surface, Window
from messages.discord import (
    DescribeReaders,
    Readers,
    ReadersChanged,
    ReadersDescribed,
    ReadersListed,
    WindowReaders,
)

log = logging.getLogger(__name__)

Parented = discord.TextChannel | discord.ForumChannel
"""Channels that can have threads."""
MOST_GONE = 10_000
"""Number of deleted threads to remember."""
Place = tuple[int, bool]
"""A thread's parent, and True if the thread is private: threads of one place have the same readers."""


@dataclass(frozen=True, slots=True)
class ReportedReaders:
    """Readers last told to listeners. Readers of a channel take 2 kB; equal values are shared."""

    channels: dict[str, Readers]
    """By the channels' ids."""
    places: dict[Place, Readers | None]
    """Readers of threads, by place; None for unknown readers."""

    def share(self, readers: Readers | None) -> Readers | None:
        """Existing equal value, or else `readers`, to keep a single copy."""
        return next((each for each in (*self.channels.values(), *self.places.values()) if each == readers), readers)


class Readership:
    """Watcher of permissions: lives on the loop and outlives each client.

    The readers of a window are the people with permission to read the channel, for a thread the parent channel.
    Channels are looked up anew after any change of a server; threads are noted when met, since an archived thread is in
    no cache, and forgotten when deleted. A window that Discord does not list has no known readers.
    """

    def __init__(
        self,
        *,
        host: Host,
        window_map: WindowMap,
        watermarks: Watermarks,
        rest: RestCalls,
        listeners: tuple[Address, ...],
    ) -> None:
        """Begin without knowledge of readers.

        Args:
            host: Sends messages to the listeners.
            window_map: Decides about the channels that are windows.
            watermarks: Knows the windows with logs.
            rest: Lists archived threads.
            listeners: Addresses that get the readership.
        """
        self._host = host
        self._window_map = window_map
        self._watermarks = watermarks
        self._rest = rest
        self._listeners = listeners
        self._client: discord.Client | None = None
        self._is_current = False
        """True if Discord reports changes at once."""
        self._threads: dict[int, Place] = {}
        """Each thread that is a window -> place of the thread."""
        self._places: dict[Place, Place] = {}
        """Every place of the threads, to keep each place once."""
        self._gone: OrderedDict[int, None] = OrderedDict()
        """Deleted threads: messages in a deleted thread may come late, and so may a list with the thread."""
        self._reported = ReportedReaders({}, {})
        self._unreported: set[int] = set()
        """Threads noted since the last report to listeners."""
        self._tasks = BackgroundTasks()

    def begin(self, client: discord.Client) -> None:
        """Begin a complete new session: list everything anew; archived threads follow."""
        self._client = client
        self._is_current = True
        self._threads.clear()
        self._places.clear()
        for guild in client.guilds:
            for thread in guild.threads:
                self._note(thread)
        self._list()
        self.look_for_archived()

    @property
    def is_current(self) -> bool:
        """True while a session is complete: all servers are known, and changes are reported at once."""
        return self._is_current

    def look_for_archived(self) -> None:
        """List archived threads, if a thread with logs has no known readers."""
        if self._is_current and (missing := self._unlisted_threads()):
            self._tasks.spawn(self._list_archived(missing), "the list of archived threads")

    def suspend(self) -> None:
        """Forget all readers when the connection is lost, since changes would go unnoticed."""
        self._is_current = False
        if self._reported.channels or self._reported.places:
            self._reported = ReportedReaders({}, {})
            self._tell(ReadersListed(windows=()))

    def resume(self) -> None:
        """Continue the session, after all missed events have come."""
        if self._client is None or self._is_current:
            return
        self._is_current = True
        self._list()

    def tell(self, reply_to: Address) -> None:
        """Send any known readers to a single address; a new session sends the readers to all listeners."""
        if self._is_current:
            self._host.tell(reply_to, ReadersListed(windows=self._windows()))

    def describe(self, request: DescribeReaders) -> None:
        """Reply with the present readers of some windows; None for windows absent from Discord's lists."""
        windows = tuple(WindowReaders(window=window, readers=self._reported_of(window)) for window in request.windows)
        self._host.tell(request.reply_to, ReadersDescribed(request_id=request.request_id, windows=windows))

    # what Discord says; nothing here may wait, or a user is shown words that he may read no more

    def compare(self) -> None:
        """Compare readers after a change of a server or a channel."""
        if not self._is_current:
            return
        self._compare(())

    def meet(self, channel: object) -> None:
        """Note a channel or thread with an event, perhaps from before this session; it may be gone since."""
        if isinstance(channel, discord.Thread) and self._is_of_now(channel):
            before = self._reported_of_thread(channel.id)
            if self._note(channel):
                self._compare_thread(channel.id, before)

    def meet_all(self, guild: discord.Guild) -> None:
        """A server is there, or there again."""
        for thread in guild.threads:
            self._note(thread)
        self.compare()

    def forget_thread(self, thread_id: int) -> None:
        """A thread was deleted."""
        self._gone[thread_id] = None
        if len(self._gone) > MOST_GONE:
            self._gone.popitem(last=False)
        self._unreported.discard(thread_id)
        place = self._threads.pop(thread_id, None)
        if place is not None and self._reported.places.get(place) is not None:
            self._tell(ReadersChanged(windows=(_thread(thread_id, None),)))

    def forget_channel(self, channel_id: int) -> None:
        """Forget a deleted channel with all its threads."""
        gone = [thread for thread, place in self._threads.items() if place[0] == channel_id]
        reported = [thread for thread in gone if self._reported_of_thread(thread) is not None]
        for thread in gone:
            del self._threads[thread]
        self._compare(reported)

    # the parts of the above

    def _list(self) -> None:
        """Look at everything anew, and report all of it."""
        self._reported = self._current()
        self._unreported.clear()
        self._tell(ReadersListed(windows=self._windows()))

    def _compare(self, gone: Iterable[int]) -> None:
        """Look at everything anew, and report changes, including reported threads that are `gone`."""
        if not self._is_current:
            return
        before, self._reported = self._reported, self._current()
        channels = before.channels.keys() | self._reported.channels.keys()
        changed = [
            WindowReaders(window=channel_window(channel_id), readers=self._reported.channels.get(channel_id))
            for channel_id in channels
            if before.channels.get(channel_id) != self._reported.channels.get(channel_id)
        ]
        others = {place for place in self._places if before.places.get(place) != self._reported.places.get(place)}
        changed += (_thread(thread_id, None) for thread_id in gone)
        if others or self._unreported:
            changed += (
                _thread(thread_id, self._reported.places.get(place))
                for thread_id, place in self._threads.items()
                if place in others or thread_id in self._unreported
            )
        self._unreported.clear()
        if changed:
            self._tell(ReadersChanged(windows=tuple(changed)))

    def _compare_thread(self, thread_id: int, before: Readers | None) -> None:
        """Compare a single changed thread: the cost of comparing all grows with their number."""
        place = self._threads.get(thread_id)
        if not self._is_current or self._client is None or place is None:
            return
        now = _readers_in(self._client, *place)
        if place not in self._reported.places:
            self._reported.places[place] = self._reported.share(now)
        elif now != self._reported.places.get(place):
            self._compare(())  # What is the news of one is that of all threads of its channel.
            return
        self._unreported.discard(thread_id)
        readers = self._reported.places.get(place)
        if readers != before:
            self._tell(ReadersChanged(windows=(_thread(thread_id, readers),)))

    def _is_of_now(self, thread: discord.Thread) -> bool:
        """True if the thread is of the present session; each session makes its servers anew, with their threads."""
        return self._client is not None and self._client.get_guild(thread.guild.id) is thread.guild

    def _note(self, thread: discord.Thread) -> bool:
        """Note a thread; True if new or changed. A thread that is no window is not kept."""
        ids = {str(thread.id), str(thread.parent_id)}
        if thread.id in self._gone or self._window_map.channels.isdisjoint(ids):
            return False
        place = thread.parent_id, thread.is_private()
        place = self._places.setdefault(place, place)
        is_news = self._threads.get(thread.id) != place
        if is_news:
            self._threads[thread.id] = place
            self._unreported.add(thread.id)
        return is_news

    def _current(self) -> ReportedReaders:
        """Every existing window, with the readers."""
        readers_now = ReportedReaders({}, {})
        client = self._client
        if client is None:
            return readers_now
        for channel_id in self._window_map.channels:
            if (readers := _readers_in(client, int(channel_id))) is not None:
                readers_now.channels[channel_id] = readers
        for place in self._places:
            readers_now.places[place] = readers_now.share(_readers_in(client, *place))
        return readers_now

    def _reported_of(self, window: Window) -> Readers | None:
        """Readers last reported to listeners for a window."""
        if window.surface is Surface.DISCORD_CHANNEL:
            return self._reported.channels.get(window.id)
        is_thread = window.surface is Surface.DISCORD_THREAD and window.id.isdecimal()
        return self._reported_of_thread(int(window.id)) if is_thread else None

    def _reported_of_thread(self, thread_id: int) -> Readers | None:
        place = self._threads.get(thread_id)
        return None if place is None or thread_id in self._unreported else self._reported.places.get(place)

    def _windows(self) -> tuple[WindowReaders, ...]:
        """Every window with readers reported to listeners."""
        channels = (
            WindowReaders(window=channel_window(channel_id), readers=readers)
            for channel_id, readers in self._reported.channels.items()
        )
        threads = (
            _thread(thread_id, readers)
            for thread_id, place in self._threads.items()
            if thread_id not in self._unreported and (readers := self._reported.places.get(place)) is not None
        )
        return (*channels, *threads)

    def _unlisted_threads(self) -> set[int]:
        """Threads with logs but missing in Discord's lists: archived or gone."""
        return {number for number in self._watermarks.logged_threads() if self._reported_of_thread(number) is None}

    async def _list_archived(self, missing: set[int]) -> None:
        """Note archived threads among the `missing`; the rest are gone."""
        client = self._client
        channels = [] if client is None else [client.get_channel(int(each)) for each in self._window_map.channels]
        for channel in channels:
            if not missing:
                return
            if not isinstance(channel, Parented):
                continue
            try:
                threads = await self._rest.persist(
                    "listing archived threads", functools.partial(_archived_threads, channel.id, frozenset(missing))
                )
            except (CallRefusedError, CallFailedError) as error:
                log.warning(
                    "messages of archived threads of channel %d are shown in these threads only: %s", channel.id, error
                )
                continue
            if client is not self._client:
                return  # A newer session lists them itself.
            for thread in threads:
                missing.discard(thread.id)
                self._note(thread)
            self.compare()

    def _tell(self, message: ReadersListed | ReadersChanged) -> None:
        for listener in self._listeners:
            self._host.tell(listener, message)


def _readers_in(client: discord.Client, channel_id: int, private: bool = False) -> Readers | None:
    """Readers of a channel, or of its threads, private or not; None for an unknown channel."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, discord.abc.GuildChannel):
        return None
    return readers_of(channel, private=private)


async def _archived_threads(channel_id: int, missing: frozenset[int], client: discord.Client) -> list[discord.Thread]:
    """Archived public threads of a channel that are among the `missing`."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, Parented):
        return []
    return [thread async for thread in channel.archived_threads(limit=None) if thread.id in missing]


def _thread(thread_id: int, readers: Readers | None) -> WindowReaders:
    return WindowReaders(window=thread_window(str(thread_id)), readers=readers)
