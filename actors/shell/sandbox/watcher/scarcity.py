"""Scarcity of a disk's room and names: choice of the running commands that end when little is left.

All commands share the disk, and each has a watching process without knowledge of the others. So each process measures
the use by its own command: growth of the folder, bytes written, and bytes held in nameless files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass

from actors.linux.folder import Usage
from actors.linux.nameless import NamelessFiles, nameless_files
from actors.linux.processes import written_bytes
from actors.shell.job import Limits
from actors.shell.sandbox.watcher.confinement import LIMITS

SMALL_BYTES, SMALL_NAMES = 64 * 1024**2, 1_000
"""Usage up to which a command is not blamed for a full disk, unless all larger commands are gone."""
PATIENCE_S = 1.0
"""Seconds for which other commands may be refused because of the space held by a command."""
HALVING_S = 0.2
"""Far below the floor, after so long half as much is enough to be to blame."""
_NEAR, _REFUSING, _FAR = 4, 2, 4
"""Multiples of the floor for the start of looking and for the refusal of new commands (see `quota`); and the divisor
of the floor for a value far below."""
_WORTH = 10
"""Least time between searches for nameless files, in multiples of a search's duration."""
_SLICES_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Measures:
    """Measurements of a command's use of the disk, by its watching process."""

    written: Callable[[int], int] = written_bytes
    """Bytes written by a process and all its descendants."""
    nameless: Callable[[int, int], Iterator[NamelessFiles]] = nameless_files
    """Holdings of a process and all below it on a device, in files without a name; grows with each step."""


MEASURES = Measures()


class Scarcity:
    """Judge of a command while the disk is nearly full."""

    def __init__(self, limits: Limits, folder: int, room: int, names: int, measures: Measures = MEASURES) -> None:
        """Begin with the command.

        Args:
            limits: Bounds of the command.
            folder: Descriptor of the command's folder; stays the caller's.
            room: Free bytes.
            names: Number of names still available.
            measures: Measures of the command's use.
        """
        self._limits = limits
        self._measures = measures
        self._device = os.fstat(folder).st_dev
        self._room_at_first, self._names_at_first = room, names
        self._room_floor = _Floor(limits.least_free_bytes, SMALL_BYTES)
        self._names_floor = _Floor(limits.least_free_names, SMALL_NAMES)
        self._search: Iterator[NamelessFiles] | None = None
        self._search_began = self._next_search = 0.0
        self._counted = self._most_counted = NamelessFiles()

    @property
    def is_searching(self) -> bool:
        """True while the search for the command's holdings is unfinished."""
        return self._search is not None

    def fault(self, now: float, room: int, names: int, grown: Usage) -> str:
        """Reason to end the command; empty without a reason.

        Args:
            now: Seconds of a clock that never goes back.
            room: Bytes free now.
            names: Number of names still available now.
            grown: Counted growth of the folder since the start.
        """
        least, most = self._limits.least_free_bytes, self._limits.most_bytes
        is_near = room < _NEAR * least
        if not is_near and names >= _NEAR * self._limits.least_free_names:
            self._search, self._most_counted = None, NamelessFiles()
            return ""
        self._look_for_nameless(now)
        freed = self._most_held(room, names)
        written = self._measures.written(os.getpid()) if is_near else 0
        if is_near and max(written, freed.bytes) > most:
            return f"it wrote more than {most // 1024**2:,} MiB to a disk that is nearly full"
        if self._room_floor.blames(now, room, max(written, freed.bytes, grown.bytes), freed.bytes):
            return f"it left only {room // 1024**2:,} MiB free on the disk; {least // 1024**2:,} MiB must stay"
        if self._names_floor.blames(now, names, max(freed.files, grown.files), freed.files):
            return f"it left room for only {names:,} more files on the disk"
        return ""

    def _look_for_nameless(self, now: float) -> None:
        """Go on with a search, or begin a search; the last result counts until the next search has found more."""
        if self._search is None:
            if now < self._next_search:
                return
            self._search, self._search_began = self._measures.nameless(os.getpid(), self._device), now
            self._counted = NamelessFiles()
        for _ in range(_SLICES_AT_ONCE):
            count = next(self._search, None)
            if count is None:
                self._most_counted, self._search = self._counted, None
                self._next_search = now + _WORTH * (now - self._search_began)
                return
            self._counted = count
        self._most_counted = NamelessFiles(*map(max, astuple(self._counted), astuple(self._most_counted)))

    def _most_held(self, room: int, names: int) -> NamelessFiles:
        """Upper bound of the command's holdings; unreadable files count at most as much as is gone from the disk."""
        counted = self._most_counted
        gone, names_gone = max(0, self._room_at_first - room), max(0, self._names_at_first - names)
        return NamelessFiles(
            files=max(counted.files, min(names_gone, counted.files + counted.unseen)),
            bytes=max(counted.bytes, min(gone, counted.bytes + counted.unseen * LIMITS["FSIZE"])),
        )


class _Floor:
    """Floor of a disk resource: decides the order of kills below the floor."""

    def __init__(self, least: int, small: int) -> None:
        self._least = least
        self._small = small
        self._refusing_since: float | None = None
        self._far_since: float | None = None

    def blames(self, now: float, left: int, used: int, freed: int) -> bool:
        """True if the command must end.

        Where other commands are refused, a command that holds more than a little ends after a moment, since its end
        frees the space. Below the floor a command that took more than a little ends at once. Far below the floor the
        threshold falls, so the largest commands end first, and the freed space spares the next. If no end frees enough,
        all commands end: another program may take the last of the disk, but then no command can go on either.

        Args:
            now: Seconds that never go back.
            left: Amount that the disk has left.
            used: Amount that the command took.
            freed: Part of `used` that the command's end frees.
        """
        self._refusing_since = _since(self._refusing_since, now, holds=left < _REFUSING * self._least)
        self._far_since = _since(self._far_since, now, holds=_FAR * left < self._least)
        if self._refusing_since is not None and now - self._refusing_since >= PATIENCE_S and freed > self._small:
            return True
        if left >= self._least:
            return False
        halvings = 0 if self._far_since is None else int((now - self._far_since) / HALVING_S)
        return used > (self._small >> halvings or -1)


def _since(since: float | None, now: float, *, holds: bool) -> float | None:
    """Time since which a condition holds; None for a false condition."""
    if not holds:
        return None
    return now if since is None else since
