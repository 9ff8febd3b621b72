"""Preparation of arrivals: content of messages, and requests and reads before a message is passed on."""

from __future__ import annotations

import discord
import msgspec

from actors.discord.calls.parsing import WireMessage
from actors.discord.incoming.arrival import Arrival, Hearing, MessageArrival, Setting, revision, user_message
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.incoming.places.window_map import WindowMap
from actors.discord.incoming.reading.names import NameBook
from actors.discord.incoming.reading.starter import Starters
from actors.discord.incoming.reading.withdrawn import Withdrawn
from actors.discord.incoming.unpacking import Unpacked, Unpacking
from actors.kernel import Host
from domain.policy.memory_switch import NOW
from domain.turn.discord.said import words_of
from messages.base import Window
from messages.context import ReviseMessage, UserMessage


class Preparation:
    """Reader of the whole content of messages: names, files, and the starter of a thread.

    A plain live message needs no preparation and no call. A message with files waits for the files, the first message
    of an old thread for the thread's starter, and a message in history for the nickname of the author.
    """

    def __init__(
        self,
        *,
        host: Host,
        window_map: WindowMap,
        policy: ChannelPolicy,
        names: NameBook,
        starters: Starters,
        unpacking: Unpacking,
    ) -> None:
        """Begin without messages.

        Args:
            host: Sends starters to windows and takes their replies.
            window_map: Labels the readers of windows.
            policy: Rules of channels.
            names: Says how people, channels and roles are called.
            starters: Finds what threads were begun from.
            unpacking: Reads the files that come with messages.
        """
        self.names = names
        self.starters = starters
        self.withdrawn = Withdrawn()
        """Messages deleted or edited meanwhile."""
        self._host = host
        self._window_map = window_map
        self._policy = policy
        self._unpacking = unpacking

    def is_needed(self, arrival: Arrival, window: Window) -> bool:
        """True if an arrival cannot be passed on at once."""
        if isinstance(arrival, MessageArrival) and self.starters.is_wanted(window, arrival.message):
            return True
        return arrival.must_prepare

    async def prepare(self, arrival: MessageArrival, window: Window) -> Unpacked | None:
        """Ask for names, tell the window of its starter, and read files; return words and files, if any files came."""
        message = arrival.message
        if not arrival.is_live:
            await self.names.inquire(message)
        if self.starters.is_wanted(window, message) and not self._policy.is_off_record(message.channel, message.id):
            await self._tell_starter(window, arrival)
        return await self._unpack(message, window) if arrival.must_prepare else None

    def user_message(
        self, message: WireMessage, window: Window, channel: object, hearing: Hearing, unpacked: Unpacked | None
    ) -> UserMessage:
        """Message for the window's actor about a Discord message; `channel` is the window's."""
        is_off = self._policy.is_off_record(channel, message.id)
        setting = Setting(self._window_map.audience_of(channel), self._policy.tables_of(channel), is_off)
        prepared = user_message(message, window, self._host.address, setting, hearing, self.names, unpacked)
        if prepared.quote is None or is_off or not self._policy.is_off_record(channel, int(prepared.quote.message_id)):
            return prepared
        return msgspec.structs.replace(prepared, quote=None)  # a log must not get it by quotation

    def revision(self, message: WireMessage, window: Window, *, wants_answer: bool) -> ReviseMessage:
        """Message for the window's actor about an edit; new words are not kept if memory is off, or was off then."""
        places = (message.channel, discord.Object(int(window.id)))  # A thread of the message's has its own switch.
        is_off = any(self._policy.is_off_record(each, number) for each in places for number in (NOW, message.id))
        return revision(message, window, self.names, wants_answer=wants_answer, is_off_record=is_off)

    async def _tell_starter(self, window: Window, arrival: MessageArrival) -> None:
        """Tell a thread's window of the thread's starter, for later turns only."""
        place = arrival.message.channel
        ids = self._window_map.place_of(place).ids
        starter = await self.starters.find(window, arrival.origin.guild_id, int(ids[1]) if len(ids) > 1 else None)
        if starter is None or self.withdrawn.is_deleted(starter.id):
            return
        unpacked = await self._unpack(starter, window)
        if not unpacked.text and not unpacked.files:
            return
        prepared = self.user_message(starter, window, place, Hearing(wants_answer=False), unpacked)
        self._host.tell(window.address, prepared)
        if (edit := self.withdrawn.edit_of(starter.id)) is not None:
            self._host.tell(window.address, msgspec.structs.replace(edit, window=window, wants_answer=False))

    async def _unpack(self, message: WireMessage, window: Window) -> Unpacked:
        words = words_of(message.wire, self.names.name_of(message), with_files=False)
        is_kept = not self._policy.is_off_record(message.channel, message.id)
        unpacked = await self._unpacking.unpack(message, words, window, is_kept=is_kept)
        if not is_kept or not self._policy.is_off_record(message.channel, message.id):
            return unpacked
        await self._unpacking.discard(message, window)  # memory was switched off before it, and known only now
        return await self._unpacking.unpack(message, words, window, is_kept=False)
