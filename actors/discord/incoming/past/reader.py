"""Reader of the past: lists places with history, and gives their pages to the importer."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Awaitable, Iterable, Sequence

import discord
import msgspec

from actors.discord.calls.archives import archive_page, archives_of
from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.history import Page, read_page, require_history
from actors.discord.calls.parsing import WireMessage
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.calls.turns import Turns
from actors.discord.incoming.intake import Intake
from actors.discord.incoming.reading.names import NameBook
from actors.discord.timing import Timing
from actors.kernel import Host
from domain.turn.discord.said import says_something, words_of
from messages.base import Address, ChannelId, Message, MessageId, RequestId, UserId, Window
from messages.past import (
    CategoriesFound,
    FindCategories,
    ListPast,
    NotePast,
    PastDelayed,
    PastListed,
    PastMessage,
    PastPlace,
    PastRead,
    ReadPast,
    SettlePast,
)
from messages.socket import Refused

Talkable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
Parented = discord.TextChannel | discord.ForumChannel
AT_ONCE = 4
"""Number of pages requested at a time."""
BEHIND_S = 2.0
"""Pause of the importer while missed live messages are read."""
AGAIN_S = 60.0
"""Pause of the importer where Discord does not answer."""


class PastReader:
    """Lister and reader of history; lives on the loop and outlives each client.

    The importer gets a page after all live messages of the channel were passed on, so a window knows all live messages
    before any page repeats them as past. Messages that may be in no log yet are left out: an answer is due.
    """

    def __init__(self, *, host: Host, intake: Intake, rest: RestCalls, timing: Timing, idle: asyncio.Event) -> None:
        """Begin without reading.

        Args:
            host: Answers the importer.
            intake: Goes first; knows windows, names, deletions and edits.
            rest: Reads history.
            timing: Bounds the delay that a call causes, and the wait of a page for answers.
            idle: Set while no answer is being written; an answer goes before a page.
        """
        self._host = host
        self._intake = intake
        self._rest = rest
        self._turns = Turns(AT_ONCE, timing.turn_s)
        self._gives_way_s = timing.gives_way_s
        self._idle = idle
        self._guilds: dict[int, int] = {}
        """Listed channel -> server of the channel."""
        self._tasks = BackgroundTasks()

    def list_places(self, request: ListPast) -> None:
        """Reply with all places that have history."""
        self._answer(request.request_id, request.reply_to, self._list(request.request_id))

    def find_categories(self, request: FindCategories) -> None:
        """Reply with the present categories of channels."""
        client = self._rest.client
        channels = [None if client is None else client.get_channel(int(each)) for each in request.channels]
        categories = tuple(str(getattr(each, "category_id", None) or "") for each in channels)
        self._host.tell(request.reply_to, CategoriesFound(request_id=request.request_id, categories=categories))

    def read_page(self, request: ReadPast) -> None:
        """Reply with a page of history."""
        self._answer(request.request_id, request.reply_to, self._read(request))

    def settle(self, request: SettlePast) -> None:
        """Take back messages deleted or edited between the reading of a page and its storage."""
        withdrawn = self._intake.withdrawn
        numbers = [int(each) for each in request.message_ids]
        if gone := [number for number in numbers if withdrawn.is_deleted(number)]:
            self._intake.withdraw(request.window, gone)
        for edit in filter(None, map(withdrawn.edit_of, numbers)):
            self._host.tell(
                request.window.address, msgspec.structs.replace(edit, window=request.window, wants_answer=False)
            )

    def note(self, note: NotePast) -> None:
        """Follow deletions and readers of windows that have imported logs."""
        self._intake.watermarks.note_past(note.windows)
        self._intake.readership.look_for_archived()

    def close(self) -> None:
        """Cut off work under way; the importer asks again."""
        self._tasks.cancel()

    # the parts of the above

    @property
    def _may_read(self) -> bool:
        """True while a session is complete, and the agent is not being stopped."""
        return self._intake.readership.is_current and self._intake.is_open

    def _answer(self, request_id: RequestId, reply_to: Address, work: Awaitable[Message]) -> None:
        async def answer() -> None:
            try:
                reply: Message = await work
            except CallRefusedError as error:
                reply = Refused(request_id=request_id, reason=str(error))
            except (CallFailedError, discord.DiscordException) as error:
                reply = PastDelayed(request_id=request_id, reason=str(error), again_s=AGAIN_S)
            self._host.tell(reply_to, reply)

        self._tasks.spawn(answer(), "a reading of the past")

    async def _list(self, request_id: RequestId) -> Message:
        client = self._rest.client
        if client is None or self._intake.is_at_work or not self._may_read:
            return _behind(request_id)
        places: dict[Window, PastPlace] = {}
        left_out: list[str] = []
        for channel_id in sorted(map(int, self._intake.window_map.channels)):
            channel = client.get_channel(channel_id)
            left_out += self._meet(places, channel, channel_id)
            if isinstance(channel, Parented):
                for thread in channel.threads:
                    left_out += self._meet(places, thread, thread.id)
                left_out += await self._list_archived(places, channel)
        return PastListed(request_id=request_id, places=tuple(places.values()), left_out=tuple(left_out))

    async def _list_archived(self, places: dict[Window, PastPlace], channel: Parented) -> list[str]:
        """List archived threads of a channel; return reasons for missing threads."""
        left_out: list[str] = []
        for archive in archives_of(channel):
            before: discord.Thread | None = None
            while True:
                call = functools.partial(archive_page, channel.id, archive, before)
                try:
                    threads = await self._rest.persist("listing archived threads", call, self._turns)
                except CallRefusedError as error:
                    left_out.append(f"archived threads of channel {channel.id} ({archive.name.lower()}): {error}")
                    break
                if not threads:
                    break
                for thread in threads:
                    left_out += self._meet(places, thread, thread.id)
                before = threads[-1]
        return left_out

    def _meet(self, places: dict[Window, PastPlace], channel: object, channel_id: int) -> Iterable[str]:
        """Note a place with history; return the reason if the bot may not read the history."""
        if isinstance(channel, discord.ForumChannel):
            return ()
        if not isinstance(channel, Talkable):
            return (f"channel {channel_id}: Discord does not list it, or it is no place to talk",)
        window = self._intake.window_map.learn(channel)
        if not isinstance(window, Window):
            return ()
        try:
            require_history(channel)
        except CallRefusedError as error:
            return (f"channel {channel_id}: {error}",)
        self._intake.readership.meet(channel)
        self._guilds[channel_id] = channel.guild.id
        places[window] = PastPlace(window=window, newest=channel.last_message_id or 0)
        return ()

    async def _give_way(self) -> None:
        """Wait until no answer is being written, though not for long."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), self._gives_way_s)

    async def _read(self, request: ReadPast) -> Message:
        channel_id = int(request.window.id)
        if self._intake.is_holding or self._intake.watermarks.gaps(channel_id) or not self._may_read:
            return _behind(request.request_id)

        async def call(client: discord.Client) -> Page:
            place = client.get_partial_messageable(channel_id, guild_id=self._guilds.get(channel_id))
            page = await read_page(place, after=request.after, before=request.before)
            if not page.newest:  # Discord lists nothing where the bot may not read, as if nothing were there.
                require_history(client.get_channel(channel_id) or await client.fetch_channel(channel_id))
            return page

        await self._give_way()
        page = await self._rest.persist("reading the past", call, self._turns)
        messages = self._on_record(page.messages)
        for message in messages:
            await self._intake.preparation.names.inquire(message)
        await self._intake.settle(ChannelId(request.window.id))
        names, withdrawn, bot_id = self._intake.preparation.names, self._intake.withdrawn, self._rest.bot_id()
        past = (each for each in messages if not (withdrawn.is_deleted(each.id) or self._intake.awaits(each)))
        return PastRead(
            request_id=request.request_id,
            messages=tuple(past_message(each, names, is_own=each.author.id == bot_id) for each in past),
            oldest=page.oldest,
            is_last=page.is_last or not page.oldest,
            audience=self._intake.window_map.audience_of(discord.Object(channel_id)),
        )

    def _on_record(self, messages: Sequence[WireMessage]) -> list[WireMessage]:
        """Messages of a channel with content, written while memory was on."""
        if not messages:
            return []
        is_off_record = self._intake.policy.off_record_of(messages[0].channel)
        return [each for each in messages if says_something(each.wire) and not is_off_record(each.id)]


def past_message(message: WireMessage, names: NameBook, *, is_own: bool) -> PastMessage:
    """Message of the past, with all its parts in words."""
    words = words_of(message.wire, names.name_of(message))
    reference = message.reference if message.type is discord.MessageType.reply else None
    return PastMessage(
        message_id=MessageId(str(message.id)),
        author_id=UserId(str(message.author.id)),
        author_name=names.author_name(message),
        text=words.all,
        typed_chars=len(words.typed),
        sent_at=message.created_at,
        reply_to_message_id=MessageId(str(reference.message_id or "") if reference is not None else ""),
        is_own=is_own,
    )


def _behind(request_id: RequestId) -> PastDelayed:
    return PastDelayed(request_id=request_id, reason="messages that were missed are read first", again_s=BEHIND_S)
