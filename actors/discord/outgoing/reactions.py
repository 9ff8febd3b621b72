"""Reactions below people's messages: that they are worked on, and how that ended; none matters enough to wait for."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.rest_calls import TRANSIENT, CallFailedError, CallRefusedError, RestCalls, described
from actors.discord.timing import Timing
from messages.discord import ReactionKind, ShowReaction

log = logging.getLogger(__name__)

AT_WORK = "👀"
EMOJI = {
    ReactionKind.TAKEN: AT_WORK,
    ReactionKind.RESUMED: AT_WORK,
    ReactionKind.ANSWERED: "✅",
    ReactionKind.FAILED: "❌",
}
_BEGINNINGS = (ReactionKind.TAKEN, ReactionKind.RESUMED)
_REMEMBERED = 10_000
_WAITING = 50
"""Most messages of a channel whose reactions wait; beyond that the oldest are left out."""


@dataclass(slots=True)
class _Change:
    """Reaction that a message is to show, and when."""

    kind: ReactionKind
    due: float
    """On the loop's clock: not before."""
    late: float
    """On the loop's clock: not any more."""


class Reactions:
    """Reactions of the bot, one at a message; a pump for each channel that has anything to do; lives on the loop.

    Only the newest sign of a message counts. What is dealt with soon never shows that it was begun, and what cannot be
    shown for long is left out, except that a sign of work never stays at a message that is dealt with.
    """

    def __init__(self, *, rest: RestCalls, timing: Timing) -> None:
        self._rest = rest
        self._timing = timing
        self._changes: dict[str, OrderedDict[str, _Change]] = {}
        """Channel -> message -> what it is to show; a channel is here while its pump runs."""
        self._at_work: OrderedDict[tuple[str, str], None] = OrderedDict()
        """(channel, message) that show the sign of work."""
        self._tasks = BackgroundTasks()

    def show(self, reaction: ShowReaction) -> None:
        """Have a message show what has become of it, some time."""
        channel_id, message_id = reaction.window.id, reaction.message_id
        if not channel_id.isdecimal() or not message_id.isdecimal():
            return
        if reaction.kind is ReactionKind.RESUMED:
            self._remember(channel_id, message_id)  # The life before has shown it, or else this does no harm.
            return
        loop = asyncio.get_running_loop()
        due = loop.time() + (self._timing.reaction_after_s if reaction.kind is ReactionKind.TAKEN else 0.0)
        change = _Change(reaction.kind, due, due + self._timing.reaction_late_s)
        changes = self._changes.get(channel_id)
        if changes is not None:
            changes[message_id] = change
            changes.move_to_end(message_id)
            if len(changes) > _WAITING:
                self._leave_out_one(channel_id, changes)
            return
        self._changes[channel_id] = OrderedDict({message_id: change})
        self._tasks.spawn(self._pump(channel_id), f"reactions in channel {channel_id}")

    def close(self) -> None:
        """Show nothing more."""
        self._tasks.cancel()
        self._changes.clear()

    async def _pump(self, channel_id: str) -> None:
        changes, loop = self._changes[channel_id], asyncio.get_running_loop()
        try:
            while changes:
                message_id, change = min(changes.items(), key=lambda item: item[1].due)
                if change.due > loop.time():
                    # Not longer at a time, since what comes meanwhile may be due before.
                    await asyncio.sleep(min(change.due - loop.time(), self._timing.reaction_every_s))
                    continue
                del changes[message_id]
                await self._change(channel_id, message_id, change)
        finally:
            self._changes.pop(channel_id, None)

    async def _change(self, channel_id: str, message_id: str, change: _Change) -> None:
        is_late = asyncio.get_running_loop().time() > change.late
        if change.kind in _BEGINNINGS:
            if not is_late and await self._react(channel_id, message_id, AT_WORK, is_there=True):
                self._remember(channel_id, message_id)
            return
        if not is_late:
            await self._react(channel_id, message_id, EMOJI[change.kind], is_there=True)
        if (channel_id, message_id) in self._at_work:
            del self._at_work[channel_id, message_id]
            await self._react(channel_id, message_id, AT_WORK, is_there=False)

    async def _react(self, channel_id: str, message_id: str, emoji: str, *, is_there: bool) -> bool:
        """Add a reaction or take it away, at the pace that Discord allows; whether that was done."""

        async def call(client: discord.Client) -> None:
            message = client.get_partial_messageable(int(channel_id)).get_partial_message(int(message_id))
            if is_there:
                await message.add_reaction(emoji)
            elif client.user is not None:
                await message.remove_reaction(emoji, client.user)

        is_done = False
        try:
            if is_there:
                await self._rest.once(call)
            else:
                await self._rest.persist(f"taking a reaction away in channel {channel_id}", call)
            is_done = True
        except TRANSIENT as error:
            log.info("a reaction in channel %s was not added: %s", channel_id, described(error))
        except (CallRefusedError, CallFailedError) as error:
            log.info("a reaction in channel %s stays: %s", channel_id, error)
        await asyncio.sleep(self._timing.reaction_every_s)
        return is_done

    def _leave_out_one(self, channel_id: str, changes: OrderedDict[str, _Change]) -> None:
        """Forget the oldest change that no sign of work depends on."""
        oldest = next((message_id for message_id in changes if (channel_id, message_id) not in self._at_work), None)
        if oldest is not None:
            del changes[oldest]

    def _remember(self, channel_id: str, message_id: str) -> None:
        self._at_work[channel_id, message_id] = None
        if len(self._at_work) > _REMEMBERED:
            self._at_work.popitem(last=False)
