"""Scarcity of a disk's room and names: which of the running commands are to end when there is little left.

All of them share the disk, each is watched by a process of its own, and none knows of the others. So each looks at what
its own command has taken: what its folder grew by, what it wrote, and what it holds of files that are in no folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import astuple

from actors.linux.folder import Usage
from actors.linux.nameless import Held, nameless_files
from actors.linux.processes import written_bytes
from actors.shell.job import Limits
from actors.shell.sandbox.watcher.confinement import LIMITS

SMALL_BYTES, SMALL_NAMES = 64 * 1024**2, 1_000
"""Who has taken no more is not to blame for a full disk, unless all who have taken more are gone."""
PATIENCE_S = 1.0
"""How long others may be refused their commands for want of what a command holds."""
HALVING_S = 0.2
"""Far below the floor, after so long half as much is enough to be to blame."""
_NEAR, _REFUSING, _FAR = 4, 2, 4
"""Times the floor: where looking begins, and where no more commands are begun (see `quota`); and which part of it is
far below it."""
_WORTH = 10
"""A search for nameless files is made at most every so many times as long as it took."""
_SLICES_AT_ONCE = 4


class Scarcity:
    """Judge of one command while the disk is nearly full."""

    def __init__(self, limits: Limits, folder: int, room: int, names: int) -> None:
        """Begin with the command.

        Args:
            limits: Its bounds.
            folder: Descriptor of its folder; stays the caller's.
            room: Bytes that are free.
            names: As many more may be made.
        """
        self._limits = limits
        self._device = os.fstat(folder).st_dev
        self._room_at_first, self._names_at_first = room, names
        self._room_floor = _Floor(limits.least_free_bytes, SMALL_BYTES)
        self._names_floor = _Floor(limits.least_free_names, SMALL_NAMES)
        self._search: Iterator[Held] | None = None
        self._search_began = self._next_search = 0.0
        self._found = self._held = Held()

    @property
    def is_searching(self) -> bool:
        """Whether there is more to look at before it is known what the command holds."""
        return self._search is not None

    def fault(self, now: float, room: int, names: int, grown: Usage) -> str:
        """Why the command is to end; empty if it is not.

        Args:
            now: Seconds that never go back.
            room: Bytes that are free now.
            names: As many more may be made now.
            grown: What the folder has more than at first, as far as was counted.
        """
        least, most = self._limits.least_free_bytes, self._limits.most_bytes
        is_near = room < _NEAR * least
        if not is_near and names >= _NEAR * self._limits.least_free_names:
            self._search, self._held = None, Held()
            return ""
        self._look_for_nameless(now)
        held = self._most_held(room, names)
        written = written_bytes(os.getpid()) if is_near else 0
        if is_near and max(written, held.bytes) > most:
            return f"it wrote more than {most // 1024**2:,} MiB to a disk that is nearly full"
        if self._room_floor.blames(now, room, max(written, held.bytes, grown.bytes), held.bytes):
            return f"it left only {room // 1024**2:,} MiB free on the disk; {least // 1024**2:,} MiB must stay"
        if self._names_floor.blames(now, names, max(held.files, grown.files), held.files):
            return f"it left room for only {names:,} more files on the disk"
        return ""

    def _look_for_nameless(self, now: float) -> None:
        """Go on with a search, or begin one; what the last one found counts until the next one has found more."""
        if self._search is None:
            if now < self._next_search:
                return
            self._search, self._search_began = nameless_files(os.getpid(), self._device), now
            self._found = Held()
        for _ in range(_SLICES_AT_ONCE):
            found = next(self._search, None)
            if found is None:
                self._held, self._search = self._found, None
                self._next_search = now + _WORTH * (now - self._search_began)
                return
            self._found = found
        self._held = Held(*map(max, astuple(self._found), astuple(self._held)))

    def _most_held(self, room: int, names: int) -> Held:
        """What it may hold at most; what nobody can look at is no more than what is gone from the disk."""
        held = self._held
        gone, names_gone = max(0, self._room_at_first - room), max(0, self._names_at_first - names)
        return Held(
            files=max(held.files, min(names_gone, held.files + held.unseen)),
            bytes=max(held.bytes, min(gone, held.bytes + held.unseen * LIMITS["FSIZE"])),
        )


class _Floor:
    """Floor of one thing that a disk has: who goes when, if there is less."""

    def __init__(self, least: int, small: int) -> None:
        self._least = least
        self._small = small
        self._refusing_since: float | None = None
        self._far_since: float | None = None

    def blames(self, now: float, left: int, taken: int, held: int) -> bool:
        """Whether the command is to go.

        Where others are refused commands, who holds more than a little goes after a moment, since what it holds is
        free again with its end. Below the floor who took more than a little goes at once. Far below it ever less is a
        little, so that the largest go first, and what each gives back spares the next. If none did, all go: what takes
        the last of the disk may be none of them, but then none of them can go on either.

        Args:
            now: Seconds that never go back.
            left: How much of it the disk has.
            taken: How much of it the command took.
            held: How much of that is free again when it ends.
        """
        self._refusing_since = _since(self._refusing_since, now, holds=left < _REFUSING * self._least)
        self._far_since = _since(self._far_since, now, holds=_FAR * left < self._least)
        if self._refusing_since is not None and now - self._refusing_since >= PATIENCE_S and held > self._small:
            return True
        if left >= self._least:
            return False
        halvings = 0 if self._far_since is None else int((now - self._far_since) / HALVING_S)
        return taken > (self._small >> halvings or -1)


def _since(since: float | None, now: float, *, holds: bool) -> float | None:
    """Since when something holds; None if it does not."""
    if not holds:
        return None
    return now if since is None else since
