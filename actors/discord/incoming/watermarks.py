"""Watermarks of all channels: how far each was read, kept on the disk, so that every gap is found and closed."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
from collections.abc import Iterable, Iterator, Mapping

from actors.discord.calls.background import BackgroundTasks
from actors.discord.incoming.watermark_file import WatermarkFile
from domain.log.reading import Reading
from domain.log.watermark import ENDLESS, Gap, Watermark
from messages.base import Surface, Window

log = logging.getLogger(__name__)

MOST_CHANNELS = 200_000
"""Most channels; beyond, the channels silent for longest are forgotten; their windows know their own logs."""
_SNOWFLAKE_BITS = 22
"""Low bits of a snowflake below the milliseconds since Discord's epoch."""


class Watermarks:
    """Readings of all channels ever met; lives on the loop.

    The file lags behind by a second, at the cost of a second look at the messages of that second. Only the newest
    message of a newly met channel is written at once: older messages are never read.
    """

    def __init__(
        self,
        *,
        watermarks: Mapping[int, Watermark],
        logged: Mapping[str, str],
        file: WatermarkFile | None,
        catchup_hours: float,
        write_every_s: float = 1.0,
        write_again_s: float = 30.0,
    ) -> None:
        """Begin with the knowledge of an earlier life, without a session.

        Args:
            watermarks: Channel id -> its watermark, as written.
            logged: Window key -> greatest message id in its logs, 0 for none; counts where there is no watermark.
            file: File of the watermarks; None to keep no file.
            catchup_hours: Hours of history to read in a channel without a watermark.
            write_every_s: Least time between two writes to the file.
            write_again_s: Pause before a failed write is tried again.
        """
        self._readings = {channel_id: Reading(watermark) for channel_id, watermark in watermarks.items()}
        self._firsts = {channel_id: each.first for channel_id, each in watermarks.items() if each.first}
        """Channel id -> newest message when the channel was met, where known."""
        self._logged: set[int] = set()
        """Channels whose windows have logs, met or not."""
        self._unwritten: set[int] = set()
        """Channels with logs, but without a watermark, until met: messages before the logged ones may be missing."""
        for key, message_id in logged.items():
            window = Window.from_key(key)
            if window.id.isdecimal():
                channel_id = int(window.id)
                self._logged.add(channel_id)
                if channel_id not in self._readings:
                    earlier = Watermark(surface=window.surface, first=0, upto=int(message_id))
                    self._readings[channel_id] = Reading(earlier)
                    self._unwritten.add(channel_id)
        self._past: set[Window] = set()
        """Windows with imported logs."""
        self._file = file
        self._catchup_ms = int(catchup_hours * 3_600_000)
        self._write_every_s, self._write_again_s = write_every_s, write_again_s
        self.session = 0
        """Number of the newest session, which may not have begun to work yet."""
        self._since = 0
        """Newest message, or channel, when the session began: newer messages arrive by themselves."""
        self._left = 0
        """Newest message, or channel, known to an earlier session, by watermarks alone; 0 for none."""
        self._horizon = 0
        """Snowflake from which a channel with unknown progress is read."""
        self._arrivals: dict[int, asyncio.Event] = {}
        """Message on the way -> set at its arrival in a log, or at the failure."""
        self._dirty: set[int] = set()
        self._is_failing = False
        self._writing = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None
        self._tasks = BackgroundTasks()

    # what is known of windows

    def logged_threads(self) -> list[int]:
        """Ids of the threads that have logs, of this life or an earlier one, imported ones included."""
        past = {int(each.id) for each in self._past if each.surface is Surface.DISCORD_THREAD}
        here = (each for each, its in self._logged_readings() if its.surface is Surface.DISCORD_THREAD)
        return [*(each for each in here if each not in past), *past]

    def note_past(self, windows: Iterable[Window]) -> None:
        """Note windows with imported logs."""
        self._past.update(windows)

    def has_past(self, window: Window) -> bool:
        """True if a window has imported logs."""
        return window in self._past

    def newest_windows(self, most: int) -> list[str]:
        """Keys of the windows with logs whose messages are newest, newest first."""
        logged = [(its.reached, each) for each, its in self._logged_readings()]
        logged.sort(reverse=True)  # for a hundred thousand twice as fast as `heapq.nlargest`
        return [f"{self.surface_of(each).value}/{each}" for _, each in logged[:most]]

    def _logged_readings(self) -> Iterator[tuple[int, Reading]]:
        """Channels with logs; in this order they lie beside each other in memory, and a look takes a fifth."""
        return ((each, its) for each, its in self._readings.items() if each in self._logged)

    def knows(self, window: Window) -> bool:
        """True if a window has logs."""
        if not window.id.isdecimal():
            return False
        return int(window.id) in self._logged and self._surface(int(window.id)) is window.surface

    def logs_thread(self, thread_id: int) -> bool:
        """True if a thread has a log."""
        return thread_id in self._logged and self._surface(thread_id) in (None, Surface.DISCORD_THREAD)

    def has(self, channel_id: int) -> bool:
        """True if a channel was ever met."""
        return channel_id in self._readings

    def surface_of(self, channel_id: int) -> Surface:
        """Surface of a known channel."""
        return self._readings[channel_id].surface

    def direct(self) -> list[int]:
        """The channels of direct messages."""
        return [each for each, reading in self._readings.items() if reading.surface is Surface.DISCORD_DM]

    # sessions

    def lose(self) -> None:
        """Begin a new session: messages since the last session are not sent."""
        self.session += 1
        written = (each.reached for channel_id, each in self._readings.items() if channel_id not in self._unwritten)
        self._left = max(itertools.chain(written, self._firsts.values()), default=0)
        self._horizon = self._catch_up_from(self._newest())

    def miss(self, channel_ids: Iterable[int]) -> None:
        """Note channels whose messages do not arrive, though the session goes on."""
        for channel_id in channel_ids:
            if (reading := self._readings.get(channel_id)) is not None:
                reading.leave()

    def begin(self, newest: int) -> None:
        """All servers of the session are known: whatever is newer than their newest message comes by itself."""
        self._since = max(self._since, newest)
        if not self._horizon:
            self._horizon = self._catch_up_from(newest)

    @property
    def horizon(self) -> int:
        """Snowflake of the time from which channels without a watermark are read."""
        return self._horizon

    def is_made_while_away(self, channel_id: int) -> bool:
        """True if a channel is newer than everything known to an earlier session."""
        return bool(self._left) and channel_id > self._left

    def is_current(self, channel_id: int) -> bool:
        """True if a channel misses no messages beyond its gaps."""
        reading = self._readings.get(channel_id)
        return reading is not None and reading.session == self.session

    def meet(
        self,
        channel_id: int,
        surface: Surface | None,
        newest: int,
        parent_id: int | None = None,
        *,
        is_configured: bool = False,
    ) -> bool:
        """Have a channel take part in the session; True if messages of it are to be looked for.

        Args:
            channel_id: Id of the channel.
            surface: Kind of channel; None if unknown: a thread, unless met as another kind before.
            newest: Id of the newest message, which may be deleted by now; 0 for no message, `ENDLESS` if unknown.
            parent_id: Parent of a thread, a configured channel.
            is_configured: True if the operator named the channel: messages from before are not read.
        """
        reading = self._readings.get(channel_id)
        is_new = reading is None or channel_id in self._unwritten
        if surface is None:
            surface = Surface.DISCORD_THREAD if reading is None else reading.surface
        elif reading is not None:
            reading.surface = surface  # A channel first met by a message alone may have been taken for a thread.
        if reading is None and is_configured:
            met = Watermark(surface=surface, first=max(newest, self._since, 1), upto=newest)
            reading = Reading(met)
            self._firsts[channel_id] = met.first
        elif reading is None:
            floor = self._floor(channel_id, surface, newest, parent_id)
            reading = Reading(Watermark(surface=surface, first=0, upto=floor))
        elif not reading.reached:
            reading.reached = reading.confirmed = self._floor(channel_id, surface, newest, parent_id)
        elif channel_id in self._unwritten and not is_configured:
            reading.doubt(self._floor(channel_id, surface, newest, parent_id))
        self._unwritten.discard(channel_id)
        self._readings[channel_id] = reading
        reading.join(self.session, newest)
        if is_new and surface is Surface.DISCORD_THREAD and self._is_made_here(channel_id) and not is_configured:
            reading.doubt(channel_id - 1)
        self._mark(channel_id)
        self._forget_some()
        return bool(reading.gaps)

    def _floor(self, channel_id: int, surface: Surface, newest: int, parent_id: int | None) -> int:
        """Newest message that need not be searched for in a channel with unknown progress."""
        if surface is Surface.DISCORD_THREAD:
            if self._is_made_here(channel_id):
                return max(newest, channel_id - 1)  # Everything that is said in it should come by itself.
            parent = self._readings.get(parent_id or 0)
            met = parent.first if parent is not None else 0
            return max(met, self._horizon, channel_id - 1)  # A thread's first message may have its number.
        return max(min(self._firsts.values(), default=0), self._horizon)

    def _is_made_here(self, thread_id: int) -> bool:
        """True if a thread was made in this session."""
        return thread_id > self._since

    def gaps(self, channel_id: int) -> tuple[Gap, ...]:
        """Gaps of a channel still to be read."""
        reading = self._readings.get(channel_id)
        return () if reading is None else reading.gaps

    def lacks(self, channel_id: int, message_id: int) -> bool:
        """True if a message may be in no log of a channel, nor on the way there; see `Reading.lacks`."""
        return self._readings[channel_id].lacks(message_id)

    def is_on_way(self, channel_id: int, message_id: int) -> bool:
        """True if a message is on the way to a channel's log."""
        reading = self._readings.get(channel_id)
        return reading is not None and reading.is_on_way(message_id)

    def joins(self, channel_id: int) -> int:
        """Number of sessions joined by a channel: `fill_page` asks for the number at the page's request."""
        return self._readings[channel_id].joins

    def newest_known(self, channel_id: int) -> int:
        """Newest known message of a channel; `fill_page` asks for the value at the page's request."""
        return self._readings[channel_id].reached

    def newest_confirmed(self, channel_id: int) -> int:
        """Id of a channel's message up to which, by its history, no message is missing."""
        return self._readings[channel_id].confirmed

    async def arrival(self, channel_id: int, message_id: int) -> None:
        """Return when a message is on the way to a channel's log no longer."""
        if self.is_on_way(channel_id, message_id):
            await self._arrivals.setdefault(message_id, asyncio.Event()).wait()

    def fill_page(self, channel_id: int, after: int, newest: int, *, joins: int, reached: int, is_last: bool) -> None:
        """Note a page of a channel's history after all relevant messages on it are noticed; see `Reading.fill_page`."""
        reading = self._readings[channel_id]
        reading.fill_page(after, newest, joins=joins, reached=reached, is_last=is_last)
        self._mark(channel_id)

    def give_up(self, channel_id: int) -> None:
        """Give up a channel's gaps: their messages will never be known."""
        reading = self._readings[channel_id]
        reading.give_up()
        self._mark(channel_id)

    def put_off(self, channel_id: int) -> None:
        """Leave a channel's gaps to later looks: the history is closed for now."""
        self._readings[channel_id].put_off()
        self._mark(channel_id)

    def to_look_at(self) -> list[int]:
        """Channels of this session in which an event may be missing: doubtful channels, and recently used channels."""
        recent = self._catch_up_from(self._newest())
        return [each for each, reading in self._readings.items() if reading.is_in_doubt or reading.reached > recent]

    # messages

    def notice(self, channel_id: int, message_id: int) -> None:
        """Note a message on its way to the window's log; ignored for unknown channels."""
        reading = self._readings.get(channel_id)
        if reading is not None:
            reading.notice(message_id, self.session)

    def pass_by(self, channel_id: int, message_id: int) -> None:
        """Note a message that needs no log, for example the bot's own."""
        reading = self._readings.get(channel_id)
        if reading is not None:
            reading.pass_by(message_id, self.session)
            self._mark(channel_id)

    def log(self, channel_id: int, message_id: int) -> None:
        """Note that a message is in its window's log."""
        self._logged.add(channel_id)
        self.settle(channel_id, message_id)

    def settle(self, channel_id: int, message_id: int) -> None:
        """Note that a message is logged, or not for the bot."""
        reading = self._readings.get(channel_id)
        if reading is not None:
            reading.settle(message_id)
            self._mark(channel_id)
            self._report_arrival(message_id)

    def release(self, channel_id: int, message_id: int) -> None:
        """Note that a message could not be logged; the next look into the channel finds the message."""
        reading = self._readings.get(channel_id)
        if reading is not None:
            reading.release(message_id)
            self._report_arrival(message_id)

    def forget(self, channel_id: int) -> None:
        """Forget a channel that is not the bot's."""
        self._readings.pop(channel_id, None)
        self._firsts.pop(channel_id, None)
        if self._file is not None:
            self._file.forget(channel_id)

    # keeping them

    async def secure(self) -> None:
        """Return when all known state is kept, or could not be; a failed write is tried again."""
        if self._file is None:
            return
        async with self._writing:
            fresh = {}
            for channel_id in self._dirty:
                reading = self._readings.get(channel_id)
                if reading is not None and not self._file.says(channel_id, watermark := reading.watermark()):
                    fresh[channel_id] = watermark
            self._dirty.clear()
            if not fresh:
                return
            try:
                await self._file.write(fresh)
            except OSError as error:
                level = logging.INFO if self._is_failing else logging.ERROR
                log.log(level, "the progress of reading channels cannot be stored: %s", error)
                self._is_failing = True
                self._dirty |= fresh.keys()
                asyncio.get_running_loop().call_later(self._write_again_s, self._write_soon)
            except asyncio.CancelledError:  # The caller waits no longer; the write may have succeeded or not.
                self._dirty |= fresh.keys()
                raise
            else:
                self._is_failing = False

    def _report_arrival(self, message_id: int) -> None:
        if (awaited := self._arrivals.pop(message_id, None)) is not None:
            awaited.set()

    def _surface(self, channel_id: int) -> Surface | None:
        reading = self._readings.get(channel_id)
        return None if reading is None else reading.surface

    def _newest(self) -> int:
        """The newest message of all channels; `ENDLESS` at most."""
        return min(max((reading.reached for reading in self._readings.values()), default=0), ENDLESS)

    def _mark(self, channel_id: int) -> None:
        if self._file is not None:
            self._dirty.add(channel_id)
            self._write_soon()

    def _write_soon(self) -> None:
        if self._file is not None and (self._writer is None or self._writer.done()):
            self._writer = self._tasks.spawn(self._write_later(), "keeping watermarks")

    async def _write_later(self) -> None:
        """Write until nothing waits: marks made while the disk is at work start no writer of their own."""
        while True:
            await asyncio.sleep(self._write_every_s)
            await self.secure()
            if not self._dirty or self._is_failing:
                return

    def _forget_some(self) -> None:
        if len(self._readings) <= MOST_CHANNELS:
            return
        resting = ((reading.reached, each) for each, reading in self._readings.items() if reading.may_be_forgotten)
        for _, channel_id in heapq.nsmallest(MOST_CHANNELS // 10, resting):
            self.forget(channel_id)

    def _catch_up_from(self, newest: int) -> int:
        return max(0, (newest >> _SNOWFLAKE_BITS) - self._catchup_ms) << _SNOWFLAKE_BITS


__all__ = ["ENDLESS", "Watermarks"]
