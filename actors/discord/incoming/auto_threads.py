"""Threads for questions: each is opened from its message, so both have the same id and neither is opened twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

import discord

from actors.discord.calls.parsing import WireMessage
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.incoming.places.window_map import WindowMap, thread_window
from actors.discord.incoming.reading.names import NameBook
from actors.discord.incoming.watermarks import Watermarks
from actors.discord.timing import Timing
from domain.text.thread_name import thread_name
from domain.turn.discord.said import titles_of
from domain.turn.typed_command import says_stop
from messages.base import Window

log = logging.getLogger(__name__)

_HAS_ONE = 160004
"""Discord's code for a message that has a thread already."""
_MOST_MOVED = 10_000
_WRITE = "Send Messages in Threads"
_NEEDED = {
    "Create Public Threads": discord.Permissions(create_public_threads=True),
    _WRITE: discord.Permissions(send_messages_in_threads=True),
}


@dataclass(frozen=True, slots=True)
class OwnThread:
    """Thread opened from a message."""

    window: Window
    channel: object
    """Channel as discord.py knows it, or its bare id."""


class AutoThreads:
    """Opener of threads, where `threads = "auto"` holds; lives on the loop and outlives each client.

    Where no thread can be opened, the message is answered in its channel, and the log says so once for each reason.
    """

    def __init__(
        self,
        *,
        rest: RestCalls,
        window_map: WindowMap,
        policy: ChannelPolicy,
        watermarks: Watermarks,
        scrub: Callable[[str], str],
        timing: Timing,
    ) -> None:
        """No thread is opened yet.

        Args:
            rest: Calls Discord.
            window_map: Remembers the threads.
            policy: Rules of channels.
            watermarks: Know which threads have logs.
            scrub: Takes secrets out of a name.
            timing: Longest wait for a thread.
        """
        self.policy = policy
        self._rest = rest
        self._window_map = window_map
        self._watermarks = watermarks
        self._scrub = scrub
        self._timing = timing
        self._moves: dict[int, int] = {}
        """Message on its way into the log of the message's own thread -> channel of writing."""
        self._unlogged: dict[int, int] = {}
        """Message -> place whose window failed to log; the log may have the message, if only a sync failed."""
        self._logged: set[tuple[int, str]] = set()
        """Channel and reason of each logged failure."""

    def has(self, message_id: int) -> bool:
        """True if the log of the message's own thread has the message, or soon will."""
        return message_id in self._moves or self._watermarks.logs_thread(message_id)

    def concerns(self, message: discord.Message) -> bool:
        """True if a message may belong into a thread of its own."""
        if message.channel.id == message.id:
            return False
        return self.has(message.id) or self._place(message) is not None

    async def thread_for(self, message: WireMessage, names: NameBook, *, is_answered: bool) -> OwnThread | None:
        """Thread for the answer to a message; None for the message's own channel.

        Raises:
            CallFailedError: Discord does not answer, and the message's own thread may answer the message.
        """
        window = thread_window(str(message.id))
        if self.has(message.id):
            return OwnThread(window, self._known_channel(message.id) or discord.Object(message.id))
        channel, failed = self._place(message), self._unlogged.get(message.id, message.id)
        if channel is None or not is_answered or failed != message.id:
            return None
        try:
            thread = self._known_thread(message.id, channel) or await self._open(message, channel, names)
        except CallFailedError as error:
            if message.id in self._unlogged:
                raise
            self._tell_once(channel.id, str(error))
            return None
        if thread is None or self._window_map.learn(thread) != window:
            return None
        return OwnThread(window, thread)

    def note_move(self, message_id: int, channel_id: int) -> None:
        """Note that a message goes into the log of its own thread."""
        self._moves[message_id] = channel_id
        if len(self._moves) > _MOST_MOVED:
            del self._moves[next(iter(self._moves))]

    def take_move(self, message_id: int, channel_id: int, *, is_logged: bool) -> int:
        """Channel of a moved message, once a window in `channel_id` has logged the message or could not log it."""
        self._unlogged.pop(message_id, None)
        if not is_logged:
            self._unlogged[message_id] = channel_id
            if len(self._unlogged) > _MOST_MOVED:
                del self._unlogged[next(iter(self._unlogged))]
        return self._moves.pop(message_id, channel_id)

    def _place(self, message: discord.Message) -> discord.TextChannel | None:
        """The channel in which a thread is to be opened from a message, as far as rules and kinds of channels go."""
        channel = message.channel
        if isinstance(channel, discord.PartialMessageable) and channel.guild is not None:
            channel = channel.guild.get_channel(channel.id) or channel  # type: ignore[assignment]
        if isinstance(channel, discord.Thread | discord.DMChannel) or not self.policy.rule_of(channel).opens_threads:
            return None
        if isinstance(channel, discord.VoiceChannel | discord.StageChannel):
            self._tell_once(channel.id, "a voice channel has no threads")
        return channel if isinstance(channel, discord.TextChannel) and not says_stop(message.content) else None

    async def _open(self, message: WireMessage, channel: discord.TextChannel, names: NameBook) -> discord.Thread | None:
        if lacks := self._lacks(channel):
            self._tell_once(channel.id, f"the bot lacks {' and '.join(lacks)}")
            return None
        otherwise = f"Question of {names.author_name(message)}"
        name = thread_name(*map(self._scrub, titles_of(message.wire, names.name_of(message))), otherwise)

        async def call(client: discord.Client) -> discord.Thread:
            data = await client.http.start_thread_with_message(
                channel.id, message.id, name=name, auto_archive_duration=channel.default_auto_archive_duration
            )
            return discord.Thread(guild=channel.guild, state=channel._state, data=data)

        try:
            async with asyncio.timeout(self._timing.thread_timeout_s):
                return self._usable(await self._rest.persist("opening a thread", call), channel.id)
        except CallRefusedError as error:
            if getattr(error.__cause__, "code", None) == _HAS_ONE:
                return await self._existing(message.id, channel)
            self._tell_once(channel.id, str(error))
        except TimeoutError:
            raise CallFailedError(f"no answer came within {self._timing.thread_timeout_s:g} s") from None
        return None

    async def _existing(self, message_id: int, channel: discord.TextChannel) -> discord.Thread | None:
        """Existing thread of a message: of an earlier life, or opened by a person."""
        thread = self._known_channel(message_id)
        try:
            async with asyncio.timeout(self._timing.thread_timeout_s):
                if thread is None:
                    thread = await self._rest.persist(
                        "looking up a thread", lambda client: client.fetch_channel(message_id)
                    )
        except (CallFailedError, TimeoutError) as error:
            raise CallFailedError(f"the message has a thread that cannot be read: {error}") from None
        except CallRefusedError as error:
            self._tell_once(channel.id, f"the message has a thread that cannot be read: {error}")
        return self._usable(thread, channel.id)

    def _known_thread(self, message_id: int, channel: discord.TextChannel) -> discord.Thread | None:
        """Existing thread of a message, as far as known without a call; None if the bot may not write there."""
        thread = self._usable(self._known_channel(message_id), channel.id)
        return None if thread is None or _WRITE in self._lacks(channel) else thread

    def _lacks(self, channel: discord.TextChannel) -> list[str]:
        """Permissions for threads that the bot lacks in a channel."""
        me = channel.guild.get_member(self._rest.bot_id() or 0)
        permissions = discord.Permissions.all() if me is None else channel.permissions_for(me)
        return [name for name, permission in _NEEDED.items() if not permissions >= permission]

    def _usable(self, thread: object, channel_id: int) -> discord.Thread | None:
        if not isinstance(thread, discord.Thread):
            return None
        if thread.locked:
            self._tell_once(channel_id, "the message's thread is locked")
            return None
        return thread

    def _known_channel(self, thread_id: int) -> object | None:
        return None if self._rest.client is None else self._rest.client.get_channel(thread_id)

    def _tell_once(self, channel_id: int, reason: str) -> None:
        if (channel_id, reason) not in self._logged:
            self._logged.add((channel_id, reason))
            log.warning("channel %d: a question is answered there and not in a thread: %s", channel_id, reason)
