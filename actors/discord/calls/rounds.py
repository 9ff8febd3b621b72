"""Rounds of looks: every channel in use is looked into every ten minutes, and when a session goes on after a break."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError
from actors.discord.timing import Timing

log = logging.getLogger(__name__)

Survey = Callable[[], Awaitable[list[int]]]
"""Finder of channels with messages whose events were lost."""
Look = Callable[[int], Awaitable[bool]]
"""Reads a page of a channel's history; True if more pages follow."""


class Rounds:
    """Timetable of looks for messages whose events Discord never sent; lives on the loop.

    One call is under way at a time, and no call while missed history is being read. The channel with the oldest look
    goes first, so an interrupted round leaves no channel out for ever.
    """

    def __init__(
        self, look: Look, is_free: asyncio.Event, channels: Callable[[], list[int]], timing: Timing, survey: Survey
    ) -> None:
        """Begin without a round.

        Args:
            look: Looks into one channel.
            is_free: Set while no other work is to go first.
            channels: Returns the channels to look into.
            timing: Interval of rounds, and the pause between two channels.
            survey: Finds further channels by calls, once a round.
        """
        self._look = look
        self._is_free = is_free
        self._channels = channels
        self._timing = timing
        self._survey = survey
        self._is_survey_due = False
        self._looked_at: dict[int, None] = {}
        """Channels of the last rounds, the channel with the oldest look first."""
        self._due: dict[int, None] = {}
        self._next: asyncio.TimerHandle | None = None
        self._is_working = False
        self._refused: set[int] = set()
        """Channels with a logged refusal."""
        self._tasks = BackgroundTasks()

    def plan(self) -> None:
        """Schedule the next round: a new session has read all missed messages by then."""
        if self._next is not None:
            self._next.cancel()
        self._next = asyncio.get_running_loop().call_later(self._timing.look_every_s, self.begin)

    def begin(self) -> None:
        """Look into all channels once more, and then again and again."""
        self.plan()
        channels = dict.fromkeys(self._channels())
        self._looked_at = {channel_id: None for channel_id in self._looked_at if channel_id in channels}
        never = (channel_id for channel_id in channels if channel_id not in self._looked_at)
        self._due = dict.fromkeys((*never, *self._looked_at))
        self._is_survey_due = True
        if not self._is_working:
            self._is_working = True
            self._tasks.spawn(self._go_through(), "looks into history")

    async def _go_through(self) -> None:
        try:
            while self._due or self._is_survey_due:
                await self._is_free.wait()
                if self._is_survey_due:
                    await self._add_surveyed()
                    continue
                channel_id = next(iter(self._due))
                del self._due[channel_id]
                self._looked_at.pop(channel_id, None)
                self._looked_at[channel_id] = None
                if await self._try(channel_id):
                    self._due[channel_id] = None
                await asyncio.sleep(self._timing.look_pause_s)
        finally:
            self._is_working = False

    async def _add_surveyed(self) -> None:
        """Put the channels found by a survey before all other channels of the round."""
        self._is_survey_due = False
        try:
            channel_ids = await self._survey()
        except (CallRefusedError, CallFailedError) as error:
            log.info("the next round looks for threads with news: %s", error)
        except Exception:
            log.exception("the next round looks for threads with news")
        else:
            self._due = dict.fromkeys((*channel_ids, *self._due))

    async def _try(self, channel_id: int) -> bool:
        """Look into a channel; after a failure the channel has its turn in the next round."""
        try:
            has_more = await self._look(channel_id)
        except (CallRefusedError, CallFailedError) as error:
            level = logging.INFO if channel_id in self._refused else logging.WARNING
            log.log(level, "channel %d is looked into later: %s", channel_id, error)
            self._refused.add(channel_id)
        except Exception:
            log.exception("channel %d is looked into later", channel_id)
        else:
            self._refused.discard(channel_id)
            return has_more
        return False
