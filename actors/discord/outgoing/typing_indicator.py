"""Typing indicator: the sign that an answer is being written; it never matters enough to fail for, and always ends."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.rest_calls import TRANSIENT, RestCalls, described, refusal
from actors.discord.timing import Timing

log = logging.getLogger(__name__)

_GRACE_S = 1.0
"""How long a call that is under way may go on when typing is stopped."""


@dataclass(slots=True)
class _Sign:
    """Typing in one channel."""

    ends_at: float
    """On the loop's clock: then it was forgotten."""
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    call_limit: asyncio.Timeout | None = None
    """Of the call under way, if there is one."""
    task: asyncio.Task[None] | None = None


class TypingIndicator:
    """Typing indicators of channels, each a task of its own; lives on the loop.

    Each showing is a lease: no call is made, nor goes on, after `Timing.typing_limit_s` unless it was prolonged.
    """

    def __init__(self, *, rest: RestCalls, timing: Timing) -> None:
        self._rest = rest
        self._timing = timing
        self._tasks = BackgroundTasks()
        self._signs: dict[str, _Sign] = {}

    def show(self, channel_id: str) -> None:
        """Show typing until it is stopped or the lease ends, which begins anew."""
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + self._timing.typing_limit_s
        sign = self._signs.get(channel_id)
        if sign is not None:
            sign.ends_at = ends_at
            return
        sign = self._signs[channel_id] = _Sign(ends_at)
        sign.task = self._tasks.spawn(self._keep(channel_id, sign), f"showing typing in channel {channel_id}")

    def hide(self, channel_id: str) -> asyncio.Task[None] | None:
        """Show typing no longer; the task that may still be telling Discord so, if there is one."""
        sign = self._signs.pop(channel_id, None)
        if sign is None:
            return None
        sign.stopped.set()
        if sign.call_limit is not None:
            sign.call_limit.reschedule(asyncio.get_running_loop().time() + _GRACE_S)
        return sign.task

    async def hidden(self, channel_id: str) -> None:
        """Show typing no longer, and wait a moment for a call under way, lest it show after the answer."""
        if (task := self.hide(channel_id)) is not None:
            await asyncio.wait([task], timeout=_GRACE_S)

    async def _keep(self, channel_id: str, sign: _Sign) -> None:
        loop = asyncio.get_running_loop()
        try:
            while not sign.stopped.is_set() and loop.time() < sign.ends_at:
                if not await self._post(channel_id, sign):
                    return
                await _wait(sign.stopped, min(self._timing.typing_every_s, max(0.0, sign.ends_at - loop.time())))
        finally:
            if self._signs.get(channel_id) is sign:
                del self._signs[channel_id]

    async def _post(self, channel_id: str, sign: _Sign) -> bool:
        """Show typing once; whether there is sense in doing it again."""

        async def call(client: discord.Client) -> None:
            if sign.stopped.is_set() or asyncio.get_running_loop().time() >= sign.ends_at:
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


async def _wait(event: asyncio.Event, timeout_s: float) -> None:
    """Return when `event` is set, or after `timeout_s` seconds."""
    try:
        async with asyncio.timeout(timeout_s):
            await event.wait()
    except TimeoutError:
        return
