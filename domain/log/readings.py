"""Readings of all channels, in columns: 40 bytes for each at rest, where an object and its watermark take 450."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

from domain.log.id_table import IdTable
from domain.log.reading import Reading
from domain.log.watermark import ENDLESS, Watermark
from messages.base import Surface

_SURFACES = tuple(Surface)
_LOGGED = 0x80
"""Flag of a channel whose window has logs; below it stands the number of its surface."""


class Readings:
    """Channel id -> its reading. A changed reading counts once it is kept again: hold no reading for long.

    A reading at rest, as nearly all are, is a row of columns; one of which something is pending or missing, or that
    knows when its channel was met, is an object as well.
    """

    def __init__(self) -> None:
        self._rows = IdTable()
        """Channel -> its row."""
        self._free: list[int] = []
        """Rows of channels that were dropped; each is as it was when its channel was dropped."""
        self._flags = array("B")
        self._reached = array("Q")
        self._sessions = array("I")
        self._joins = array("I")
        self._written = array("Q")
        """Logged position by the file, for channels without a gap or the time of a first message."""
        self._busy: dict[int, Reading] = {}
        self._unmet: set[int] = set()
        """Channels with logs that have no reading."""
        self._written_whole: dict[int, Watermark] = {}
        """Watermarks by the file, for the other channels that the file names."""

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, channel_id: int) -> bool:
        return channel_id in self._rows

    def get(self, channel_id: int) -> Reading | None:
        """A channel's reading; None for an unknown channel."""
        if (reading := self._busy.get(channel_id)) is not None:
            return reading
        row = self._rows.get(channel_id)
        if row is None:
            return None
        reading = Reading(Watermark(surface=self._surface(row), first=0, upto=self._reached[row]))
        reading.session, reading.joins = self._sessions[row], self._joins[row]
        return reading

    def keep(self, channel_id: int, reading: Reading) -> None:
        """Keep a channel's reading as it is now, new or known; its surface never changes."""
        row = self._rows.get(channel_id)
        if row is None:
            row = self._new_row(channel_id, reading.surface)
        reached = min(max(reading.reached, 0), ENDLESS)
        self._reached[row], self._sessions[row], self._joins[row] = reached, reading.session, reading.joins
        if reading.may_be_forgotten and reading.reached == reached:
            self._busy.pop(channel_id, None)
        else:
            self._busy[channel_id] = reading

    def drop(self, channel_id: int) -> None:
        """Know nothing of a channel any more, but whether its window has logs."""
        row = self._rows.pop(channel_id)
        if row is None:
            return
        if self._flags[row] & _LOGGED:
            self._unmet.add(channel_id)
        self._busy.pop(channel_id, None)
        self._written_whole.pop(channel_id, None)
        self._flags[row] = self._reached[row] = self._written[row] = 0
        self._free.append(row)

    # all of them

    def newest(self) -> int:
        """The newest message that any reading reached; 0 for no reading."""
        return max(self._reached, default=0)

    def resting(self) -> Iterator[tuple[int, int]]:
        """Reached position of each channel at rest, with the channel."""
        return ((self._reached[row], channel) for channel, row in self._rows.pairs() if channel not in self._busy)

    def busy(self) -> Iterator[tuple[int, Reading]]:
        """The others, with their channels; to be read only."""
        return iter(self._busy.items())

    def of_surface(self, surface: Surface) -> list[int]:
        """The channels of one kind."""
        return [channel for channel, row in self._rows.pairs() if self._surface(row) is surface]

    def met(self) -> int:
        """The least message at which any of them was met; 0 where of none that is known."""
        return min((reading.first for reading in self._busy.values() if reading.first), default=0)

    # logs

    def note_logs(self, channel_id: int) -> None:
        """A channel's window has logs."""
        row = self._rows.get(channel_id)
        if row is None:
            self._unmet.add(channel_id)
        else:
            self._flags[row] |= _LOGGED

    def has_logs(self, channel_id: int) -> bool:
        """True if the channel is known and its window has logs."""
        row = self._rows.get(channel_id)
        return row is not None and bool(self._flags[row] & _LOGGED)

    def logged(self) -> Iterator[tuple[int, int, Surface]]:
        """Reached position of each channel whose window has logs, with the channel and its surface."""
        for channel, row in self._rows.pairs():
            if self._flags[row] & _LOGGED:
                yield self._reached[row], channel, self._surface(row)

    # what the file says

    def written(self, channel_id: int) -> Watermark | None:
        """Watermark of a channel by the file; None for a channel that is unknown, or absent from the file."""
        row = self._rows.get(channel_id)
        if row is None:
            return None
        upto = self._written[row]
        if not upto:
            return self._written_whole.get(channel_id)
        return Watermark(surface=self._surface(row), first=0, upto=upto - 1)

    def note_written(self, channel_id: int, watermark: Watermark) -> None:
        """The file says this of a channel that is known."""
        row = self._rows.get(channel_id)
        if row is None:
            return
        plain = Watermark(surface=self._surface(row), first=0, upto=watermark.upto)
        is_plain = watermark == plain and 0 <= watermark.upto <= ENDLESS
        self._written[row] = watermark.upto + 1 if is_plain else 0
        if is_plain:
            self._written_whole.pop(channel_id, None)
        else:
            self._written_whole[channel_id] = watermark

    def all_written(self) -> Mapping[int, Watermark]:
        """Watermarks by the file of all known channels."""
        return {channel: watermark for channel in self._rows if (watermark := self.written(channel)) is not None}

    def _new_row(self, channel_id: int, surface: Surface) -> int:
        flags = _SURFACES.index(surface) | (_LOGGED if channel_id in self._unmet else 0)
        self._unmet.discard(channel_id)
        if self._free:
            row = self._free.pop()
        else:
            row = len(self._flags)
            for column in (self._flags, self._reached, self._sessions, self._joins, self._written):
                column.append(0)
        self._flags[row] = flags
        self._rows.put(channel_id, row)
        return row

    def _surface(self, row: int) -> Surface:
        return _SURFACES[self._flags[row] & ~_LOGGED]
