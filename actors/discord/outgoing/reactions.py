"""Reactions below people's messages: work in progress, and its result; no caller waits for a reaction."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.refusals import describe, refusal
from actors.discord.calls.rest_calls import TRANSIENT, CallFailedError, CallRefusedError, RestCalls
from actors.discord.outgoing.signs import Place, SignFile
from actors.discord.timing import Timing
from actors.kernel import Host
from messages.discord import ReactionKind, ShowReaction

log = logging.getLogger(__name__)

AT_WORK = "👀"
EMOJI = {ReactionKind.ANSWERED: "✅", ReactionKind.FAILED: "❌"}
"""Ending -> lasting emoji at a message."""
_REMEMBERED = 10_000
_WAITING = 50
"""Most messages of a channel whose reactions wait; beyond the limit the oldest are left out."""


@dataclass(slots=True)
class _Change:
    """Reaction for a message to show."""

    kind: ReactionKind | None
    """None for no sign at all."""
    late: float
    """On the loop's clock: not any more."""


class Reactions:
    """Reactions of the bot, one at a message; a pump for each channel with work; lives on the loop.

    A message answered within `Timing.reaction_after_s` shows no sign. For any other the newest state counts: a state
    replaced before its turn is never shown. Signs that cannot be shown for long are left out, but a sign of work never
    stays at a finished message.
    """

    def __init__(
        self,
        *,
        host: Host,
        rest: RestCalls,
        timing: Timing,
        file: SignFile | None = None,
        place_of: Callable[[str, str], str] = lambda window_id, _message_id: window_id,
    ) -> None:
        """Begin without reactions.

        Args:
            host: Says when this life began.
            rest: Calls Discord.
            timing: When a sign of work is due, and every pause.
            file: Keeps the places of the sign of work; None without storage.
            place_of: Gives the channel of a message, from the ids of the window and the message.
        """
        self._began = host.now()
        self._rest = rest
        self._timing = timing
        self._file = file
        self._place_of = place_of
        self._pending: OrderedDict[Place, float] = OrderedDict()
        """Message in work without a sign yet -> due time of the sign, on the loop's clock; the next first."""
        self._timer: asyncio.TimerHandle | None = None
        """Timer until the first due time; the message may have been answered meanwhile."""
        self._changes: dict[str, OrderedDict[str, _Change]] = {}
        """Channel -> message -> reaction to show; a channel has an entry while its pump runs."""
        self._at_work: OrderedDict[Place, None] = OrderedDict()
        """Messages that show the sign of work."""
        self._left: dict[Place, None] = {}
        """Messages with the sign of an earlier life, and no news in this life yet."""
        self._tasks = BackgroundTasks()

    def take_over(self, left: Iterable[Place]) -> None:
        """Take away, after a while, the signs of an earlier life on messages without work in this life."""
        self._left = dict.fromkeys(left)
        for place in self._left:
            self._remember(place)
        if self._left:
            asyncio.get_running_loop().call_later(self._timing.signs_left_s, self._clear_left)

    def show(self, reaction: ShowReaction) -> None:
        """Have a message show a state, if the state still holds when the call is possible."""
        channel_id, message_id = place = reaction.window.id, reaction.message_id
        if not channel_id.isdecimal() or not message_id.isdecimal():
            return
        self._left.pop(place, None)
        match reaction.kind:
            case ReactionKind.RESUMED:
                if place not in self._pending:
                    self._remember(place)  # The life before has shown it, or else this does no harm.
            case ReactionKind.TAKEN:
                self._take(place)
            case ReactionKind.ANSWERED if place in self._pending:
                del self._pending[place]  # The answer says it all.
            case kind:
                self._pending.pop(place, None)
                self._change_soon(place, kind)

    def close(self) -> None:
        """Stop all reactions."""
        if self._timer is not None:
            self._timer.cancel()
        self._pending.clear()
        self._left.clear()
        self._tasks.cancel()
        self._changes.clear()

    def _take(self, place: Place) -> None:
        if self._timing.reaction_after_s <= 0:
            self._change_soon(place, ReactionKind.TAKEN)
            return
        loop = asyncio.get_running_loop()
        self._pending[place] = loop.time() + self._timing.reaction_after_s
        self._pending.move_to_end(place)
        if len(self._pending) > _REMEMBERED:
            self._pending.popitem(last=False)
        if self._timer is None:
            self._timer = loop.call_later(self._timing.reaction_after_s, self._show_pending)

    def _show_pending(self) -> None:
        """Show the sign of work at all messages with a due time in the past."""
        loop, self._timer = asyncio.get_running_loop(), None
        while self._pending:
            place, due = next(iter(self._pending.items()))
            if due > loop.time():
                self._timer = loop.call_at(due, self._show_pending)
                return
            del self._pending[place]
            self._change_soon(place, ReactionKind.TAKEN)

    def _change_soon(self, place: Place, kind: ReactionKind | None) -> None:
        channel_id, message_id = place
        change = _Change(kind, asyncio.get_running_loop().time() + self._timing.reaction_late_s)
        changes = self._changes.get(channel_id)
        if changes is None:
            self._changes[channel_id] = OrderedDict({message_id: change})
            self._tasks.spawn(self._pump(channel_id), f"reactions in channel {channel_id}")
            return
        changes[message_id] = change
        changes.move_to_end(message_id)
        if len(changes) > _WAITING:
            self._leave_out_one(channel_id, changes)

    def _clear_left(self) -> None:
        left, self._left = self._left, {}
        for place in left:
            self._change_soon(place, None)

    async def _pump(self, channel_id: str) -> None:
        changes = self._changes[channel_id]
        try:
            while changes:
                message_id, change = changes.popitem(last=False)
                await self._change((channel_id, message_id), change)
        finally:
            self._changes.pop(channel_id, None)

    async def _change(self, place: Place, change: _Change) -> None:
        is_late = asyncio.get_running_loop().time() > change.late
        if change.kind is ReactionKind.TAKEN:
            if not is_late:
                self._remember(place)  # Also after a call with an unknown result: the sign may be there.
                await self._keep()
                await self._react(place, AT_WORK, is_there=True)
            return
        if not is_late and change.kind is not None:
            await self._react(place, EMOJI[change.kind], is_there=True)
        if place in self._at_work or self._is_of_earlier_life(place):
            self._at_work.pop(place, None)
            await self._react(place, AT_WORK, is_there=False)
            await self._keep()

    async def _keep(self) -> None:
        if self._file is not None:
            await self._file.keep(self._at_work)

    def _is_of_earlier_life(self, place: Place) -> bool:
        """True if an earlier life may have shown the sign without telling this one: only the actor restarted."""
        _, message_id = place
        return discord.utils.snowflake_time(int(message_id)) < self._began

    async def _react(self, place: Place, emoji: str, *, is_there: bool) -> None:
        """Add a reaction or take it away, at the pace that Discord allows."""
        window_id, message_id = place
        channel_id = self._place_of(window_id, message_id)

        async def call(client: discord.Client) -> None:
            message = client.get_partial_messageable(int(channel_id)).get_partial_message(int(message_id))
            if is_there:
                await message.add_reaction(emoji)
            elif client.user is not None:
                await message.remove_reaction(emoji, client.user)

        try:
            if is_there:
                await self._rest.once(call)
            else:
                await self._rest.persist(f"taking a reaction away in channel {channel_id}", call)
        except TRANSIENT as error:
            log.info("a reaction in channel %s was not added: %s", channel_id, describe(error))
            if refusal(error) is not None and emoji == AT_WORK:
                self._at_work.pop(place, None)
        except (CallRefusedError, CallFailedError) as error:
            log.info("a reaction in channel %s stays: %s", channel_id, error)
        await asyncio.sleep(self._timing.reaction_every_s)

    def _leave_out_one(self, channel_id: str, changes: OrderedDict[str, _Change]) -> None:
        """Forget the oldest change without a sign of work; a failure's change only as a last resort."""
        free = [message_id for message_id in changes if (channel_id, message_id) not in self._at_work]
        others = (message_id for message_id in free if changes[message_id].kind is not ReactionKind.FAILED)
        if free:
            del changes[next(others, free[0])]

    def _remember(self, place: Place) -> None:
        self._at_work[place] = None
        if len(self._at_work) > _REMEMBERED:
            self._at_work.popitem(last=False)
