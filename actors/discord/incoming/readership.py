"""Readership of windows: who may read which of them, told to whoever listens, and compared at each new session."""

from __future__ import annotations

import functools
import logging
from collections import OrderedDict
from collections.abc import Callable

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.incoming.audience import readers_of
from actors.discord.incoming.watermarks import Watermarks
from actors.discord.incoming.window_map import WindowMap, channel_window, thread_window
from actors.kernel import Host
from messages.base import Address, Window
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
"""What can have threads."""
MOST_GONE = 10_000
"""Deleted threads that are remembered."""


class Readership:
    """Watcher of permissions: lives on the loop and outlives each client.

    A window is read by whom its channel's permissions let in, a thread by whom its parent's do. Channels are looked up
    anew whenever anything of a server changes; threads are noted when they are met, since an archived one is in no
    cache, and forgotten when they are deleted. What Discord does not list is read by nobody, as far as anybody knows.
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
        """Nothing is known yet.

        Args:
            host: Speaks to those who listen.
            window_map: Which channels are windows.
            watermarks: Which windows have logs.
            rest: Lists archived threads.
            listeners: Who hears of it.
        """
        self._host = host
        self._window_map = window_map
        self._watermarks = watermarks
        self._rest = rest
        self._listeners = listeners
        self._client: discord.Client | None = None
        self._is_current = False
        """Whether Discord says at once when something changes."""
        self._threads: dict[int, tuple[int, bool]] = {}
        """Thread -> its parent, and whether it is private."""
        self._gone: OrderedDict[int, None] = OrderedDict()
        """Threads that were deleted: what was said in one may come late, and so may a list that has it."""
        self._told: dict[Window, Readers] = {}
        self._shared: dict[Readers, Readers] = {}
        """The values among them, each once: what a channel says of its readers is 2 kB, and the same for its threads.
        """
        self._tasks = BackgroundTasks()

    def begin(self, client: discord.Client) -> None:
        """A new session is complete: list everything anew; threads that were archived follow."""
        self._client = client
        self._is_current = True
        self._threads.clear()
        for guild in client.guilds:
            for thread in guild.threads:
                self._note(thread)
        self._told = self._current()
        self._tell(ReadersListed(windows=_listed(self._told)))
        if missing := self._unlisted_threads():
            self._tasks.spawn(self._list_archived(missing), "the list of archived threads")

    def suspend(self) -> None:
        """The connection was lost: who reads what may change unheard, so nobody knows it any more."""
        self._is_current = False
        if self._told:
            self._told = {}
            self._tell(ReadersListed(windows=()))

    def resume(self) -> None:
        """The session goes on, and all that was missed has come."""
        if self._client is None or self._is_current:
            return
        self._is_current = True
        self._told = self._current()
        self._tell(ReadersListed(windows=_listed(self._told)))

    def tell(self, reply_to: Address) -> None:
        """List what is known to somebody, if anything is; a session that opens lists it to all."""
        if self._is_current:
            self._host.tell(reply_to, ReadersListed(windows=_listed(self._told)))

    def describe(self, request: DescribeReaders) -> None:
        """Say who reads some windows now; nobody is known to read what Discord does not list."""
        windows = tuple(WindowReaders(window=window, readers=self._told.get(window)) for window in request.windows)
        self._host.tell(request.reply_to, ReadersDescribed(request_id=request.request_id, windows=windows))

    # what Discord says; nothing here may wait, or somebody is shown what he may read no more

    def compare(self) -> None:
        """Something of a server or a channel has changed."""
        if not self._is_current:
            return
        before, self._told = self._told, self._current()
        changed = tuple(
            WindowReaders(window=window, readers=self._told.get(window))
            for window in before.keys() | self._told.keys()
            if before.get(window) != self._told.get(window)
        )
        if changed:
            self._tell(ReadersChanged(windows=changed))

    def meet(self, channel: object) -> None:
        """A channel or thread in which something happens, or happened before this session, and it may be gone since."""
        if isinstance(channel, discord.Thread) and self._is_of_now(channel) and self._note(channel):
            self._compare_thread(channel.id)

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
        if self._threads.pop(thread_id, None) is not None:
            self._compare_thread(thread_id)

    def forget_channel(self, channel_id: int) -> None:
        """A channel was deleted, and all its threads with it."""
        self._threads = {thread: place for thread, place in self._threads.items() if place[0] != channel_id}
        self.compare()

    # the parts of the above

    def _compare_thread(self, thread_id: int) -> None:
        """One thread and nothing else has changed: to look at all others would cost ever more with their number."""
        if not self._is_current or self._client is None:
            return
        window, readers = thread_window(str(thread_id)), self._of_thread(thread_id, self._readers_now(self._client))
        if readers == self._told.get(window):
            return
        if readers is None:
            del self._told[window]
        else:
            readers = self._told[window] = self._shared.setdefault(readers, readers)
        self._tell(ReadersChanged(windows=(WindowReaders(window=window, readers=readers),)))

    def _is_of_now(self, thread: discord.Thread) -> bool:
        """Whether this session told of a thread; each makes its servers anew, and lists what threads they have."""
        return self._client is not None and self._client.get_guild(thread.guild.id) is thread.guild

    def _note(self, thread: discord.Thread) -> bool:
        """Whether a thread was not known as it is."""
        if thread.id in self._gone:
            return False
        place = thread.parent_id, thread.is_private()
        is_news = self._threads.get(thread.id) != place
        self._threads[thread.id] = place
        return is_news

    def _current(self) -> dict[Window, Readers]:
        """Every window that is there, with its readers."""
        client = self._client
        if client is None:
            return {}
        found: dict[Window, Readers] = {}
        readers = self._readers_now(client)
        for channel_id in self._window_map.channels:
            if (of_channel := readers(int(channel_id))) is not None:
                found[channel_window(channel_id)] = of_channel
        for thread_id in self._threads:
            if (of_parent := self._of_thread(thread_id, readers)) is not None:
                found[thread_window(str(thread_id))] = of_parent
        self._shared = {each: each for each in found.values()}
        return found

    def _of_thread(self, thread_id: int, readers: Callable[..., Readers | None]) -> Readers | None:
        """Who reads a thread; None of one that is no window, or is not there."""
        place = self._threads.get(thread_id)
        if place is None or self._window_map.channels.isdisjoint({str(thread_id), str(place[0])}):
            return None
        return readers(*place)

    @staticmethod
    def _readers_now(client: discord.Client) -> Callable[..., Readers | None]:
        """What gives the readers of a channel, or of its threads, looking once at each."""
        return functools.cache(functools.partial(_readers_in, client))

    def _unlisted_threads(self) -> set[str]:
        """Threads that have logs and that Discord did not list: they are archived, or gone."""
        listed = {window.address.key for window in self._told}
        return {key for key in self._watermarks.windows() if key.startswith("discord-thread/") and key not in listed}

    async def _list_archived(self, missing: set[str]) -> None:
        """Note those of the `missing` threads that are archived; the others are gone."""
        client = self._client
        channels = [] if client is None else [client.get_channel(int(each)) for each in self._window_map.channels]
        for channel in channels:
            if not missing:
                return
            if not isinstance(channel, Parented):
                continue
            try:
                threads = await self._rest.persist(
                    "listing archived threads", functools.partial(_archived, channel.id, frozenset(missing))
                )
            except (CallRefusedError, CallFailedError) as error:
                log.warning("words of archived threads of channel %d stay in them: %s", channel.id, error)
                continue
            if client is not self._client:
                return  # A newer session lists them itself.
            for thread in threads:
                missing.discard(thread_window(str(thread.id)).address.key)
                self._note(thread)
            self.compare()

    def _tell(self, message: ReadersListed | ReadersChanged) -> None:
        for listener in self._listeners:
            self._host.tell(listener, message)


def _readers_in(client: discord.Client, channel_id: int, private: bool = False) -> Readers | None:
    """Who reads a channel, or a thread of it, private or not; None if it is not there."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, discord.abc.GuildChannel):
        return None
    return readers_of(channel, private=private)


async def _archived(channel_id: int, missing: frozenset[str], client: discord.Client) -> list[discord.Thread]:
    """Archived public threads of a channel that are among the `missing`."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, Parented):
        return []
    return [
        thread
        async for thread in channel.archived_threads(limit=None)
        if thread_window(str(thread.id)).address.key in missing
    ]


def _listed(told: dict[Window, Readers]) -> tuple[WindowReaders, ...]:
    return tuple(WindowReaders(window=window, readers=readers) for window, readers in told.items())
