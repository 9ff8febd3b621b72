"""Bounds of a running command beyond the kernel's limits: checked while it runs; an excess means a kill.

Disk: growth of each folder and room on its disk. Memory: the machine's remaining memory, if no control group holds the
command. Files in memory: the files in the command's /tmp. Threads: if neither a group nor a limit holds them (root).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from actors.linux.folder import MOST_LEVELS, TooDeepError, Usage, open_folder, usage
from actors.linux.processes import all_threads, family_of, resident_bytes
from actors.shell.job import UNBOUNDED, Limits
from actors.shell.sandbox.watcher.scarcity import MEASURES, SMALL_BYTES, Measures, Scarcity

LOOK_S = 0.1
"""Seconds between looks while no value is near its bound."""
URGENT_S = 0.01
FAST_BYTES_PER_S = 4 * 1024**3
"""Bytes a second that a command may be able to write or take; close to a bound, pauses shrink in proportion."""
_RECOUNT_S = 2.0
_WORTH = 10
"""Least time between counts of the folder, in multiples of a count's duration."""
_SLICES_AT_ONCE = 4


class DiskBound:
    """Bound on a folder's growth and on its disk; holds a descriptor of the folder, taken before the command begins."""

    def __init__(
        self,
        limits: Limits,
        now: float,
        name: str = "its folder",
        most_written: int | None = None,
        measures: Measures = MEASURES,
    ) -> None:
        """Look at the folder in its present state.

        Args:
            limits: Bounds.
            now: Seconds of a clock that never goes back.
            name: Name of the folder in messages.
            most_written: Bytes that the command may write to all its folders while the folder's disk is nearly full;
                None for the bound of this folder alone.
            measures: Measures of the command's use.

        Raises:
            OSError: the folder cannot be opened.
        """
        self._limits = limits
        self._name = name
        self._folder = open_folder(limits.folder)
        self._usage = Usage(limits.used_files, limits.used_bytes)
        self._room, self._names = self._free_space()
        self._room_at_walk, self._names_at_walk = self._room, self._names
        of_disk = limits if most_written is None else replace(limits, most_bytes=most_written)
        self._scarcity = Scarcity(of_disk, self._folder, self._room, self._names, measures)
        self._counted = self._usage
        self._walk: Iterator[Usage] | None = None
        self._walk_began = now
        self._next_walk = now + _RECOUNT_S if limits.most_bytes < UNBOUNDED else UNBOUNDED

    def close(self) -> None:
        """Give the descriptors back."""
        self._walk = None
        os.close(self._folder)

    def look(self, now: float) -> str:
        """Exceeded bound, for people; empty without an excess."""
        room, names = self._free_space()
        grown, more = self._room - room, self._names - names
        if fault := self._scarcity.fault(now, room, names, self._grown()):
            return fault
        is_scarce = self._limits.most_bytes < UNBOUNDED and (
            names < self._limits.least_free_names or room < self._limits.least_free_bytes
        )
        may_be_beyond = (
            self._usage.bytes + grown > self._limits.most_bytes
            or self._usage.files + more > self._limits.most_files
            or is_scarce
        )
        if self._walk is None and (now >= self._next_walk or (may_be_beyond and now >= self._walk_began + LOOK_S)):
            self._walk, self._walk_began = usage(self._folder, self._limits.most_files), now
            self._room_at_walk, self._names_at_walk = room, names
        return self._go_on(now) if self._walk is not None else ""

    def pause_s(self) -> float:
        """Seconds until the next look is needed."""
        if self._walk is not None or self._scarcity.is_searching:
            return 0.0
        left = self._free_space()[0] - self._limits.least_free_bytes
        left = min(left, self._limits.most_bytes - self._usage.bytes)
        return max(0.0, left / FAST_BYTES_PER_S)

    def _grown(self) -> Usage:
        """Growth of the folder since the start, as far as counted."""
        limits = self._limits
        return Usage(self._counted.files - limits.used_files, self._counted.bytes - limits.used_bytes)

    def _free_space(self) -> tuple[int, int]:
        """Free bytes and names on the disk."""
        disk = os.fstatvfs(self._folder)
        return disk.f_bavail * disk.f_frsize, disk.f_favail

    def _go_on(self, now: float) -> str:
        """Count a few slices more of the folder."""
        assert self._walk is not None
        try:
            for _ in range(_SLICES_AT_ONCE):
                counted = next(self._walk, None)
                if counted is None:
                    self._note_counted(now)
                    return ""
                self._counted = counted
                if counted.bytes > self._limits.most_bytes:
                    most = self._limits.most_bytes // 1024**2
                    return f"{self._name} grew to more than {most:,} MiB, which is the most it may hold"
                if counted.files > self._limits.most_files:
                    return (
                        f"{self._name} got more than {self._limits.most_files:,} files, which is the most it may hold"
                    )
        except TooDeepError:
            return f"{self._name} has folders nested deeper than {MOST_LEVELS}"
        except OSError as error:  # something vanished in the middle of a look; the next one sees what there is then
            self._note_counted(now, failed=error)
        return ""

    def _note_counted(self, now: float, failed: OSError | None = None) -> None:
        self._walk = None
        if failed is None:
            self._usage = self._counted
            self._room, self._names = self._room_at_walk, self._names_at_walk
        self._next_walk = now + max(_RECOUNT_S, _WORTH * (now - self._walk_began))


class TemporaryFilesBound:
    """Bound on the number of files that a command keeps in memory; bubblewrap bounds bytes, but not names."""

    FOLDERS = ("/tmp", "/dev/shm")

    def __init__(self, most_files: int) -> None:
        self._most_files = most_files
        self._folders: dict[str, int] = {}

    def attach(self, first: int) -> None:
        """Hold the folders of the namespace with first process `first`; missing folders follow next time."""
        for name in self.FOLDERS:
            if name not in self._folders:
                with suppress(OSError):
                    self._hold(name, first)

    def close(self) -> None:
        """Close the descriptors, and free the memory with them."""
        for folder in self._folders.values():
            os.close(folder)
        self._folders.clear()

    def look(self) -> str:
        """Exceeded bound, for people; empty without an excess."""
        for name, folder in self._folders.items():
            disk = os.fstatvfs(folder)
            if disk.f_files - disk.f_ffree > self._most_files:
                return f"it made more than {self._most_files:,} files in {name}"
        return ""

    def _hold(self, name: str, first: int) -> None:
        flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        outside = os.stat(name).st_dev if os.path.exists(name) else -1  # noqa: PTH110, PTH116
        folder = os.open(f"/proc/{first}/root{name}", flags)
        if os.fstat(folder).st_dev == outside:  # the machine's: bubblewrap is not so far yet
            os.close(folder)
        else:
            self._folders[name] = folder


@dataclass(slots=True)
class ThreadsBound:
    """Bound on threads without the kernel's help; a close look pays only when the whole machine has more threads."""

    most: int
    before: int

    def look(self) -> str:
        """Exceeded bound, for people; empty without an excess."""
        if all_threads() - self.before <= self.most:
            return ""
        family = family_of(os.getpid())
        threads = sum(status.threads for status in family.values())
        if threads > self.most:
            return f"it had {len(family)} processes with {threads} threads; at most {self.most} may run"
        return ""


def memory_left() -> int:
    """Bytes that the machine could give to a process without taking bytes from another."""
    with open("/proc/meminfo", "rb") as file:  # noqa: PTH123
        for line in file:
            if line.startswith(b"MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 1 << 62


def memory_fault(least_bytes: int) -> str:
    """Exceeded bound, for people; empty without an excess."""
    left = memory_left()
    if left < least_bytes // 2 or (left < least_bytes and resident_bytes(os.getpid()) > SMALL_BYTES):
        return f"the machine had only {left // 1024**2:,} MiB of memory left; {least_bytes // 1024**2:,} MiB must stay"
    return ""


class Bounds:
    """All bounds of a command, with the time of the next look."""

    def __init__(
        self,
        limits: Limits,
        shared: Sequence[Limits] = (),
        *,
        has_group: bool,
        measures: Measures = MEASURES,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to look.

        Args:
            limits: Limits of the command.
            shared: Limits of further folders that the command may change.
            has_group: True if a control group bounds the command's memory and threads.
            measures: Measures of the command's use.
            monotonic: Seconds of a clock that never goes back.

        Raises:
            OSError: a folder cannot be opened.
        """
        self._limits = limits
        self._has_group = has_group
        self._monotonic = monotonic
        now = monotonic()
        self._disks = list[DiskBound]()
        try:
            if limits.folder:
                self._disks.append(DiskBound(limits, now, measures=measures))
            for each in shared:
                self._disks.append(DiskBound(each, now, f"the folder {each.folder}", limits.most_bytes, measures))
        except OSError:
            self._close_disks()
            raise
        self._temporary = TemporaryFilesBound(limits.most_temporary_files)
        counts = limits.most_threads and not has_group
        self._threads = ThreadsBound(limits.most_threads, all_threads()) if counts else None

    def close(self) -> None:
        """Give everything back."""
        self._close_disks()
        self._temporary.close()

    def look(self, first: int) -> str:
        """Exceeded bound, for people; empty without an excess.

        Args:
            first: First process of the command's namespace; 0 while unknown.
        """
        if first:
            self._temporary.attach(first)
        fault = self._temporary.look()
        for disk in self._disks:
            fault = fault or disk.look(self._monotonic())
        if not self._has_group:
            fault = fault or memory_fault(self._limits.least_memory_bytes)
        if self._threads is not None:
            fault = fault or self._threads.look()
        return fault

    def pause_ms(self) -> int:
        """Milliseconds until the next look is needed."""
        if self._threads is not None:
            return round(1000 * URGENT_S)
        pause_s = min((disk.pause_s() for disk in self._disks), default=LOOK_S)
        return round(1000 * max(URGENT_S, min(LOOK_S, pause_s)))

    def _close_disks(self) -> None:
        for disk in self._disks:
            disk.close()
