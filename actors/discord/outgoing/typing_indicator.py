"""Typing indicator: the sign that an answer is being written; it never matters enough to fail for, and always ends."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.rest_calls import TRANSIENT, RestCalls, described, refusal
from actors.discord.timing import Timing

log = logging.getLogger(__name__)

_GRACE_S = 1.0
"""Seconds that a call under way may last after typing is stopped."""


@dataclass(slots=True)
class _Sign:
    """Typing in one channel."""

    ends_at: float
    """On the loop's clock: then it was forgotten."""
    is_stopped: bool = False
    call_limit: asyncio.Timeout | None = None
    """Of the call under way, if there is one."""
    task: asyncio.Task[None] | None = None
    """Tells Discord, or has told it."""
    timer: asyncio.TimerHandle | None = None
    """Until Discord has to be told again."""


class TypingIndicator:
    """Typing indicators of channels; lives on the loop.

    Each showing is a lease: no call is made, nor goes on, after `Timing.typing_limit_s` unless it was prolonged. A call
    shows typing for `Timing.typing_every_s`, for all requests meanwhile, until the bot says something in the channel.
    """

    def __init__(self, *, rest: RestCalls, timing: Timing) -> None:
        self._rest = rest
        self._timing = timing
        self._tasks = BackgroundTasks()
        self._signs: dict[str, _Sign] = {}
        self._shown_until: OrderedDict[str, float] = OrderedDict()
        """Channel -> when Discord has to be told again, on the loop's clock; the one told last comes last."""

    def show(self, channel_id: str) -> None:
        """Show typing until it is stopped or the lease ends, which begins anew."""
        now = asyncio.get_running_loop().time()
        ends_at = now + self._timing.typing_limit_s
        sign = self._signs.get(channel_id)
        if sign is not None:
            sign.ends_at = ends_at
            return
        sign = self._signs[channel_id] = _Sign(ends_at)
        self._tell_at(self._shown_until.get(channel_id, now), channel_id, sign)

    def hide(self, channel_id: str) -> asyncio.Task[None] | None:
        """Show typing no longer; the task that may still be telling Discord so, if there is one.

        Discord itself shows it until the bot says something there, or for ten seconds.
        """
        sign = self._signs.pop(channel_id, None)
        if sign is None:
            return None
        sign.is_stopped = True
        if sign.timer is not None:
            sign.timer.cancel()
        if sign.call_limit is not None:
            sign.call_limit.reschedule(asyncio.get_running_loop().time() + _GRACE_S)
        return sign.task

    async def hidden(self, channel_id: str) -> None:
        """Show typing no longer, since something is said now; a call under way is waited for a moment, lest it show."""
        task = self.hide(channel_id)
        if task is not None and not task.done():
            await asyncio.wait([task], timeout=_GRACE_S)
        self._shown_until.pop(channel_id, None)

    def _tell_at(self, when: float, channel_id: str, sign: _Sign) -> None:
        """Tell Discord then, if the lease lasts so long, which may still be prolonged."""
        loop = asyncio.get_running_loop()
        sign.timer, now = None, loop.time()
        if now >= sign.ends_at:
            self._forget(channel_id, sign)
        elif now < when:
            sign.timer = loop.call_at(when, self._tell_at, when, channel_id, sign)
        else:
            sign.task = self._tasks.spawn(self._tell(channel_id, sign), f"showing typing in channel {channel_id}")

    async def _tell(self, channel_id: str, sign: _Sign) -> None:
        """Tell Discord now, and again in a while unless there is no sense in it."""
        goes_on = False
        try:
            goes_on = await self._post(channel_id, sign) and not sign.is_stopped
        finally:
            if not goes_on:
                self._forget(channel_id, sign)
        if goes_on:
            again_at = asyncio.get_running_loop().time() + self._timing.typing_every_s
            self._note(channel_id, again_at)
            self._tell_at(again_at, channel_id, sign)

    def _note(self, channel_id: str, shown_until: float) -> None:
        """Remember how long typing shows in a channel, and forget where it does no longer."""
        self._shown_until[channel_id] = shown_until
        self._shown_until.move_to_end(channel_id)
        now = asyncio.get_running_loop().time()
        while next(iter(self._shown_until.values()), now + 1) <= now:
            self._shown_until.popitem(last=False)

    def _forget(self, channel_id: str, sign: _Sign) -> None:
        if self._signs.get(channel_id) is sign:
            del self._signs[channel_id]

    async def _post(self, channel_id: str, sign: _Sign) -> bool:
        """Show typing once; True if worth repeating."""

        async def call(client: discord.Client) -> None:
            if sign.is_stopped or asyncio.get_running_loop().time() >= sign.ends_at:
                return  # It took so long to be logged in again.
            async with asyncio.timeout_at(sign.ends_at) as sign.call_limit:
                try:
                    await client.get_partial_messageable(int(channel_id)).typing()
                finally:
                    sign.call_limit = None

        try:
            await self._rest.once(call)
        except TRANSIENT as error:
            log.info("typing in channel %s was not shown: %s", channel_id, described(error))
            return refusal(error) is None
        return True
