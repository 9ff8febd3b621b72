"""Typing indicator: the sign of an answer being written; failures are ignored, and the sign always ends."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.refusals import describe, refusal
from actors.discord.calls.rest_calls import TRANSIENT, RestCalls
from actors.discord.timing import Timing

log = logging.getLogger(__name__)

_GRACE_S = 1.0
"""Seconds that a call under way may last after typing is stopped."""


@dataclass(slots=True)
class _Sign:
    """Typing in one channel."""

    ends_at: float
    """End of the lease, on the loop's clock."""
    is_stopped: bool = False
    call_limit: asyncio.Timeout | None = None
    """Timeout of the call under way, if any."""
    task: asyncio.Task[None] | None = None
    """Task of the call to Discord, under way or finished."""
    timer: asyncio.TimerHandle | None = None
    """Until Discord has to be told again."""


class TypingIndicator:
    """Typing indicators of channels; lives on the loop.

    Each showing is a lease: no call is made or continued after `Timing.typing_limit_s` without a renewal. A call shows
    typing for `Timing.typing_every_s`, for all requests meanwhile, until the bot posts in the channel. At most one call
    is under way in a channel, and no call begins while texts wait there: each text would end the typing.
    """

    def __init__(self, *, rest: RestCalls, timing: Timing) -> None:
        self._rest = rest
        self._timing = timing
        self._tasks = BackgroundTasks()
        self._signs: dict[str, _Sign] = {}
        self.idle = asyncio.Event()
        """Set while no answer is being written anywhere."""
        self.idle.set()
        self._shown_until: OrderedDict[str, float] = OrderedDict()
        """Channel -> time of the next call to Discord, on the loop's clock; the most recent comes last."""
        self._stopped: dict[str, _Sign] = {}
        """Channel -> stopped sign with a call under way."""
        self._on_hold: set[str] = set()
        """Channels with texts waiting to be posted."""

    def show(self, channel_id: str) -> None:
        """Show typing until a stop or the end of the lease; the lease begins anew."""
        self.idle.clear()
        now = asyncio.get_running_loop().time()
        ends_at = now + self._timing.typing_limit_s
        sign = self._signs.get(channel_id)
        if sign is not None:
            sign.ends_at = ends_at
            return
        if (sign := self._stopped.pop(channel_id, None)) is not None:
            self._resume(channel_id, sign, ends_at)
            return
        sign = self._signs[channel_id] = _Sign(ends_at)
        self._tell_at(self._shown_until.get(channel_id, now), channel_id, sign)

    def _resume(self, channel_id: str, sign: _Sign, ends_at: float) -> None:
        """Reuse a stopped sign, with its call under way, for the next request."""
        self._signs[channel_id] = sign
        sign.is_stopped, sign.ends_at = False, ends_at
        if sign.call_limit is not None:
            sign.call_limit.reschedule(ends_at)

    @property
    def shown_count(self) -> int:
        """Number of channels in which typing may be shown now."""
        return len(self._shown_until)

    def hide(self, channel_id: str) -> asyncio.Task[None] | None:
        """Show typing no longer; return the task that may still be calling Discord, if any.

        Discord itself shows typing until the bot posts in the channel, or for ten seconds.
        """
        sign = self._signs.pop(channel_id, None)
        self._note_idle()
        if sign is None:
            return None
        sign.is_stopped = True
        if sign.task is not None and not sign.task.done():
            self._stopped[channel_id] = sign
        if sign.timer is not None:
            sign.timer.cancel()
        if sign.call_limit is not None:
            sign.call_limit.reschedule(asyncio.get_running_loop().time() + _GRACE_S)
        return sign.task

    async def end(self, channel_id: str) -> None:
        """Stop typing before a post; wait a moment for a call under way, lest typing be shown after the post."""
        task = self.hide(channel_id)
        if task is not None and not task.done():
            await asyncio.wait([task], timeout=_GRACE_S)
        self._shown_until.pop(channel_id, None)

    def hold(self, channel_id: str) -> None:
        """Begin no call in a channel, since texts wait to be posted there, until `release`."""
        self._on_hold.add(channel_id)

    def release(self, channel_id: str) -> None:
        """Show typing in a channel again where requested."""
        self._on_hold.discard(channel_id)
        sign = self._signs.get(channel_id)
        if sign is not None and sign.timer is None and (sign.task is None or sign.task.done()):
            self._tell_at(self._shown_until.get(channel_id, 0.0), channel_id, sign)

    def _tell_at(self, when: float, channel_id: str, sign: _Sign) -> None:
        """Tell Discord at the given time, if the lease lasts so long; the lease may still be renewed."""
        loop = asyncio.get_running_loop()
        sign.timer, now = None, loop.time()
        if now >= sign.ends_at:
            self._forget(channel_id, sign)
        elif channel_id in self._on_hold:
            pass  # `release` comes back to it.
        elif now < when:
            sign.timer = loop.call_at(when, self._tell_at, when, channel_id, sign)
        else:
            sign.task = self._tasks.spawn(self._tell(channel_id, sign), f"showing typing in channel {channel_id}")

    async def _tell(self, channel_id: str, sign: _Sign) -> None:
        """Tell Discord now, and again in a while unless a repetition is pointless."""
        is_shown = goes_on = False
        try:
            is_shown, may_go_on = await self._post(channel_id, sign)
            goes_on = may_go_on and not sign.is_stopped
        finally:
            if self._stopped.get(channel_id) is sign:
                del self._stopped[channel_id]
            if not goes_on:
                self._forget(channel_id, sign)
        again_at = asyncio.get_running_loop().time() + self._timing.typing_every_s
        if is_shown:
            self._note(channel_id, again_at)
        if goes_on:
            self._tell_at(again_at, channel_id, sign)

    def _note(self, channel_id: str, shown_until: float) -> None:
        """Remember the end of typing in a channel, and forget channels without typing."""
        self._shown_until[channel_id] = shown_until
        self._shown_until.move_to_end(channel_id)
        now = asyncio.get_running_loop().time()
        while next(iter(self._shown_until.values()), now + 1) <= now:
            self._shown_until.popitem(last=False)

    def _forget(self, channel_id: str, sign: _Sign) -> None:
        if self._signs.get(channel_id) is sign:
            del self._signs[channel_id]
            self._note_idle()

    def _note_idle(self) -> None:
        if not self._signs:
            self.idle.set()

    async def _post(self, channel_id: str, sign: _Sign) -> tuple[bool, bool]:
        """Show typing once; (True if it shows, True if worth repeating)."""

        async def call(client: discord.Client) -> bool:
            if sign.is_stopped or asyncio.get_running_loop().time() >= sign.ends_at:
                return False  # It took so long to be logged in again.
            async with asyncio.timeout_at(sign.ends_at) as sign.call_limit:
                try:
                    await client.get_partial_messageable(int(channel_id)).typing()
                finally:
                    sign.call_limit = None
            return True

        try:
            return await self._rest.once(call), True
        except TRANSIENT as error:
            log.info("typing in channel %s was not shown: %s", channel_id, describe(error))
            return False, refusal(error) is None
