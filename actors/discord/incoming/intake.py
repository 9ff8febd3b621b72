"""Ordered intake: people's actions are passed on to the windows, in order by channel, each message once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Iterable
from typing import Any, assert_never

import discord
import msgspec

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.parsing import WireMessage
from actors.discord.calls.rest_calls import CallFailedError
from actors.discord.incoming.arrival import (
    Admitted,
    Arrival,
    InteractionArrival,
    MessageArrival,
    Origin,
    is_heard,
    retraction,
)
from actors.discord.incoming.authorization import RolesFound, Verdict
from actors.discord.incoming.lane import HearingRecord, Lane, Prepared, Rules
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.incoming.places.window_map import AnyChannel, NoWindow, WindowMap, dm_window, thread_window
from actors.discord.incoming.preparation import Preparation
from actors.discord.incoming.readership import Readership
from actors.discord.timing import Timing, backoff
from actors.kernel import Host
from messages.base import ChannelId, Window
from messages.discord import UserMessageLogged, UserMessageNotLogged

log = logging.getLogger(__name__)

STOPPING = "I am shutting down; please try again later."


class Intake:
    """Intake of events of people; lives on the loop and outlives each client.

    A channel's arrivals are passed on at once, in Discord's order, unless one needs a question to Discord (an archived
    thread, an author's roles), has files, or the channel's missed messages are being read. Then all arrivals wait in
    the channel's lane.
    """

    def __init__(
        self,
        *,
        host: Host,
        rules: Rules,
        preparation: Preparation,
        record: HearingRecord,
        readership: Readership,
        timing: Timing,
    ) -> None:
        """Open an empty intake.

        Args:
            host: Sends messages to the windows and takes their replies.
            rules: Decide which events are for the bot.
            preparation: Reads all that messages say.
            record: Records which messages are on their way, passed on, or not for the bot.
            readership: Notes threads before their messages are passed on.
            timing: Waits between questions to Discord.
        """
        self.seen = record.seen
        self.watermarks = record.watermarks
        self.awaits = record.awaits
        self.readership = readership
        self.withdrawn = preparation.withdrawn
        self._host = host
        self._authorization = rules.authorization
        self._admission = rules.admission
        self._threads = rules.threads
        self.preparation = preparation
        self._timing = timing
        self._lanes: dict[ChannelId, Lane] = {}
        self._is_holding = False
        self._is_open = True
        self._tasks = BackgroundTasks()

    @property
    def window_map(self) -> WindowMap:
        """Map from channels to windows."""
        return self._authorization.window_map

    @property
    def policy(self) -> ChannelPolicy:
        """Rules of channels."""
        return self._threads.policy

    def judge(self, origin: Origin) -> Verdict:
        """Verdict on an event, as far as possible without asking Discord."""
        return self._authorization.judge(origin)

    # live events; nothing here may wait, or the order is lost

    def hear(self, message: WireMessage) -> None:
        """Take in a new message."""
        self.preparation.names.learn(message)
        if is_heard(message):
            arrival = MessageArrival.of(message)
            if not self.seen.has(message.id):
                self.watermarks.notice(message.channel.id, message.id)
            self.take(arrival)
            self.seen.notice(arrival.origin.channel_id, message.id)
        else:
            self.preparation.starters.notice(message)
            self.pass_by(message.channel.id, message.id)

    def pass_by(self, channel_id: int, message_id: int) -> None:
        """Note a message without passing it on, for example the bot's own."""
        self.watermarks.pass_by(channel_id, message_id)
        self.seen.notice(str(channel_id), message_id)

    def retract(self, channel: AnyChannel, message_ids: Iterable[int]) -> None:
        """Stop the recall of deleted messages; deleted messages on their way are not passed on."""
        message_ids = sorted(message_ids)
        self.withdraw(self._window_at(channel), message_ids)
        for message_id in filter(self._threads.has, message_ids):
            self.withdraw(thread_window(str(message_id)), (message_id,))

    def withdraw(self, window: Window | None, message_ids: Iterable[int]) -> None:
        """Stop the recall of deleted messages of a known window, or of a place known to be no window."""
        message_ids = tuple(message_ids)
        for message_id in message_ids:
            self.withdrawn.delete(message_id)
        if window is not None:
            self._host.tell(window.address, retraction(window, message_ids))

    def revise(self, message: WireMessage) -> None:
        """Have a message recalled as edited by the author, or as soon as passed on; bots' words may be quoted."""
        self.preparation.names.learn(message)
        window, thread = self._window_at(message.channel), thread_window(str(message.id))
        if thread != window and self._threads.has(message.id):
            self._host.tell(thread.address, self.preparation.revision(message, thread, wants_answer=False))
        if window is not None:
            verdict = self.judge(Origin.of_message(message))
            wants_answer = isinstance(verdict, Admitted) and self._admission.answers_edit(message)
            edit = self.preparation.revision(message, window, wants_answer=wants_answer)
            self.withdrawn.edit(message.id, edit)
            self._host.tell(window.address, edit)

    async def settle(self, channel_id: ChannelId) -> None:
        """Return when a channel's window has been told of all arrivals until now."""
        if (lane := self._lanes.get(channel_id)) is not None:
            async with lane.lock:
                pass

    def _window_at(self, channel: AnyChannel) -> Window | None:
        """Window of a retraction; for a channel outside the cache, the window with logs."""
        window = self.window_map.window_of(channel)
        if isinstance(window, Window):
            return window
        if window is NoWindow.UNKNOWN and isinstance(channel, discord.abc.Snowflake):
            for candidate in (thread_window(str(channel.id)), dm_window(str(channel.id))):
                if self.watermarks.knows(candidate) or self.watermarks.has_past(candidate):
                    return candidate
        return None

    def take(self, arrival: Arrival) -> None:
        """Pass on a person's action, now or behind the waiting arrivals in its lane."""
        if not self._is_open:
            arrival.refuse(STOPPING)
            return
        verdict = self.judge(arrival.origin)
        channel_id = arrival.origin.channel_id
        lane = self._lanes.get(channel_id)
        if isinstance(verdict, str):
            if self.watermarks.has(int(channel_id)):  # Messages of other places would displace the bot's.
                self.seen.is_new(arrival.origin.number)
            self._turn_away(arrival, verdict)
        elif lane is not None:
            lane.waiting.append(arrival)
        elif isinstance(verdict, Admitted) and not (self._is_holding or self._must_prepare(arrival, verdict)):
            self._pass_on(arrival, verdict, Prepared())
        else:
            lane = self._lanes[channel_id] = Lane()
            lane.waiting.append(arrival)
            if not self._is_holding:
                self.spawn(self._empty(channel_id, lane))

    def _must_prepare(self, arrival: Arrival, admitted: Admitted) -> bool:
        is_moved = isinstance(arrival, MessageArrival) and self._threads.concerns(arrival.message)
        return is_moved or self.preparation.is_needed(arrival, admitted.window)

    def _pass_on(self, arrival: Arrival, admitted: Admitted, prepared: Prepared) -> None:
        """Tell the window of a message in it, or have an interaction served."""
        self.readership.meet(arrival.origin.channel)
        match arrival:
            case MessageArrival():
                self._tell_window(arrival, admitted, prepared)
            case InteractionArrival():
                arrival.accept(admitted)
            case _:
                assert_never(arrival)

    def _tell_window(self, arrival: MessageArrival, admitted: Admitted, prepared: Prepared) -> None:
        window, message = admitted.window, arrival.message
        channel: object = message.channel
        if not self.seen.is_new(message.id):
            return
        if self.withdrawn.is_deleted(message.id):
            self.watermarks.settle(message.channel.id, message.id)
            return
        self.watermarks.notice(message.channel.id, message.id)  # A failed attempt to log a copy may have released it.
        if prepared.thread is not None:
            window, channel = prepared.thread.window, prepared.thread.channel
            self._threads.note_move(message.id, message.channel.id)
            self.readership.meet(channel)
        hearing = prepared.hearing or self._admission.hearing(arrival, admitted)
        user_message = self.preparation.user_message(message, window, channel, hearing, prepared.unpacked)
        if user_message.quote is not None and self.withdrawn.is_withdrawn(int(user_message.quote.message_id)):
            user_message = msgspec.structs.replace(user_message, quote=None)
        self._host.tell(window.address, user_message)
        if (edit := self.withdrawn.edit_of(message.id)) is not None:
            self._host.tell(window.address, msgspec.structs.replace(edit, window=window))

    def note_log(self, report: UserMessageLogged | UserMessageNotLogged) -> None:
        """Note if a window has logged a message; an unlogged message is passed on at the next look."""
        if not report.window.id.isdecimal() or not report.message_id.isdecimal():
            return
        channel_id, message_id = int(report.window.id), int(report.message_id)
        is_logged = isinstance(report, UserMessageLogged)
        came_in = self._threads.take_move(message_id, channel_id, is_logged=is_logged)
        if is_logged:
            self.watermarks.log(channel_id, message_id)
            self.watermarks.settle(came_in, message_id)
        else:
            self.seen.release(message_id)
            self.watermarks.release(came_in, message_id)

    def _turn_away(self, arrival: Arrival, reason: str) -> None:
        """Refuse an event that is not for the bot, for good."""
        arrival.refuse(reason)
        if isinstance(arrival, MessageArrival):
            self.watermarks.settle(int(arrival.origin.channel_id), arrival.origin.number)

    def hold(self) -> None:
        """Hold new arrivals at the start of a session, until missed messages are known.

        Waiting arrivals are from before the gap: they keep their lane, and a new lane opens behind.
        """
        self.watermarks.lose()
        if not self._is_holding:
            self._is_holding = True
            self._lanes = {channel_id: Lane(lane.lock) for channel_id, lane in self._lanes.items()}

    @property
    def is_holding(self) -> bool:
        """True while arrivals are held, until missed messages are known."""
        return self._is_holding

    @property
    def is_at_work(self) -> bool:
        """True while arrivals wait or history is read; for any thread."""
        return self._is_holding or self._tasks.are_running

    @property
    def is_open(self) -> bool:
        """True until the intake is closed for good; for any thread."""
        return self._is_open

    def oldest_waiting(self) -> list[WireMessage]:
        """Oldest waiting message of each channel."""
        lanes = self._lanes.values()
        waiting = ([each.message for each in lane.waiting if isinstance(each, MessageArrival)] for lane in lanes)
        return [messages[0] for messages in waiting if messages]

    def close(self) -> None:
        """Stop passing on and drop waiting arrivals; the next start reads the arrivals again, as no log has them."""
        self._is_open = False
        for lane in self._lanes.values():
            while lane.waiting:
                lane.waiting.popleft().refuse(STOPPING)

    # lanes

    def release(self, channels: Iterable[ChannelId]) -> None:
        """Pass on held arrivals, except in `channels`."""
        self._is_holding = False
        channels = set(channels)
        self.keep(channels)
        self.notice_held()
        for channel_id, lane in self._lanes.items():
            if channel_id not in channels:
                self.spawn(self._empty(channel_id, lane))

    def notice_held(self) -> None:
        """Note waiting messages as on their way, also messages that came before their channel was met."""
        for channel_id, lane in self._lanes.items():
            for arrival in lane.waiting:
                if isinstance(arrival, MessageArrival) and not self.seen.has(arrival.origin.number):
                    self.watermarks.notice(int(channel_id), arrival.origin.number)

    def keep(self, channel_ids: Iterable[ChannelId]) -> None:
        """Hold all arrivals in these channels until their `replay`."""
        for channel_id in channel_ids:
            self.lane(channel_id)

    def lane(self, channel_id: ChannelId) -> Lane:
        """Lane in which a kept channel's arrivals wait now; a new session opens another lane."""
        return self._lanes.setdefault(channel_id, Lane())

    async def replay(self, channel_id: ChannelId, lane: Lane, missed: AsyncIterator[Arrival]) -> None:
        """Pass on the missed messages of a kept channel and the later arrivals in its lane, in order of time.

        A page of history may contain messages from the lane too, but never a command, so the two are merged.

        Raises:
            CallRefusedError, CallFailedError: as `missed` does; later arrivals are passed on all the same.
        """
        roles: RolesFound = {}
        async with lane.lock:
            self._lanes.setdefault(channel_id, lane)
            try:
                async for arrival in missed:
                    while lane.waiting and lane.waiting[0].origin.number < arrival.origin.number:
                        await self._admit_alone(lane.waiting.popleft(), roles)
                    await self._admit_alone(arrival, roles)
            finally:
                await self._drain(channel_id, lane)

    async def _empty(self, channel_id: ChannelId, lane: Lane) -> None:
        async with lane.lock:
            await self._drain(channel_id, lane)

    async def _drain(self, channel_id: ChannelId, lane: Lane) -> None:
        """Pass on waiting arrivals, oldest first, and remove the lane unless a newer lane has its place."""
        while lane.waiting:
            await self._admit_alone(lane.waiting.popleft(), {})
        if self._lanes.get(channel_id) is lane:
            del self._lanes[channel_id]

    async def _admit_alone(self, arrival: Arrival, roles: RolesFound, attempt: int = 1) -> None:
        """Pass on or refuse one arrival; a failure affects no other arrival, and a failed message is read again."""
        try:
            await self._admit(arrival, roles, attempt)
        except Exception:
            origin = arrival.origin
            log.exception("an event in channel %s is not passed on before the next look", origin.channel_id)
            if not self.seen.has(origin.number):
                self.watermarks.release(int(origin.channel_id), origin.number)

    async def _admit(self, arrival: Arrival, roles: RolesFound, attempt: int) -> None:
        """Pass on or refuse one arrival, asking Discord for missing facts; without an answer, put the arrival aside."""
        try:
            await self._finish(arrival, await self._authorization.inquire(arrival.origin, roles))
        except CallFailedError as error:
            level = logging.ERROR if attempt == 1 else logging.INFO
            log.log(level, "%s; an event in channel %s is put aside", error, arrival.origin.channel_id)
            self.spawn(self._admit_later(arrival, attempt))

    async def _admit_later(self, arrival: Arrival, attempt: int) -> None:
        """Ask Discord again for author and place: no arrival waits for this arrival, and giving up loses it."""
        await asyncio.sleep(backoff(attempt, self._timing.gap_again_s, self._timing.gap_again_limit_s))
        if self._is_open:
            await self._admit_alone(arrival, {}, attempt + 1)
        else:
            arrival.refuse(STOPPING)

    async def _finish(self, arrival: Arrival, verdict: Admitted | str) -> None:
        prepared = await self._prepare(arrival, verdict) if isinstance(verdict, Admitted) else Prepared()
        if not self._is_open:
            arrival.refuse(STOPPING)
        elif isinstance(verdict, Admitted):
            self._pass_on(arrival, verdict, prepared)
        else:
            self._turn_away(arrival, verdict)

    async def _prepare(self, arrival: Arrival, admitted: Admitted) -> Prepared:
        """Prepare an arrival before passing on: open the message's thread, read all files."""
        match arrival:
            case InteractionArrival():
                if arrival.must_prepare:
                    await arrival.prepare()
            case MessageArrival(message=message):
                if self._is_open and not self.seen.has(message.id) and not self.withdrawn.is_deleted(message.id):
                    return await self._prepare_message(arrival, admitted)
            case _:
                assert_never(arrival)
        return Prepared()

    async def _prepare_message(self, arrival: MessageArrival, admitted: Admitted) -> Prepared:
        hearing, thread, message = None, None, arrival.message
        if self._threads.concerns(message):
            hearing = self._admission.hearing(arrival, admitted, is_counted=self._threads.has(message.id))
            thread = await self._threads.thread_for(message, self.preparation.names, is_answered=hearing.wants_answer)
        window = admitted.window if thread is None else thread.window
        unpacked = await self.preparation.prepare(arrival, window)
        return Prepared(unpacked=unpacked, hearing=hearing, thread=thread)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` in the background, until the loop is closed."""
        self._tasks.spawn(work, "a lane of arrivals")
