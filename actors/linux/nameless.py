"""Nameless files: disk space of files without a name (deleted, or never linked), held open by processes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from actors.linux.processes import family_of

SLICE = 500
"""Descriptors after which a search pauses."""
_BLOCK_BYTES = 512
_MOST_DESCRIPTORS = 1024
"""Descriptors of a process at most; the count for an unreadable process."""
_IN_FLIGHT = re.compile(rb"^scm_fds:\s*([0-9]+)", re.MULTILINE)
_DELETED = b" (deleted)"


@dataclass(frozen=True, slots=True)
class NamelessFiles:
    """Nameless files counted so far."""

    files: int = 0
    bytes: int = 0
    """Allocated blocks."""
    unseen: int = 0
    """Further files at most, uncountable: in flight in a socket, mapped, or of an unreadable process."""


class _Count:
    def __init__(self, device: int) -> None:
        self.device = device
        self.sizes: dict[int, int] = {}
        self.mapped: set[int] = set()
        self.unseen = 0

    def total(self) -> NamelessFiles:
        unseen = self.unseen + len(self.mapped - self.sizes.keys())
        return NamelessFiles(len(self.sizes), sum(self.sizes.values()), unseen)


def nameless_files(ancestor: int, device: int) -> Iterator[NamelessFiles]:
    """Nameless files of all descendants of `ancestor`, counted so far, after each `SLICE` descriptors and at the end.

    Args:
        ancestor: Process number.
        device: Of the disk, as `stat` has it.
    """
    count, steps = _Count(device), 0
    for pid in family_of(ancestor):
        for thread in _list_folder(f"/proc/{pid}/task", count):
            folder = f"/proc/{pid}/task/{thread}"
            for number in _list_folder(f"{folder}/fd", count):  # a thread may have descriptors of its own
                with suppress(OSError):
                    _look_at(folder, number, count)
                steps += 1
                if steps % SLICE == 0:
                    yield count.total()
        with suppress(OSError):
            _look_at_maps(pid, count)
        steps += 1
        if steps % SLICE == 0:
            yield count.total()
    yield count.total()


def _list_folder(folder: str, count: _Count) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - thrice as fast
    except PermissionError:
        if not _has_ended(folder):
            count.unseen += _MOST_DESCRIPTORS
    except OSError:  # it has ended
        pass
    return []


def _has_ended(folder: str) -> bool:
    """True if the thread of a folder in /proc has ended: its files are closed, and only root may read its folders."""
    thread = folder.removesuffix("/fd")
    try:
        with open(f"{thread}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split(None, 1)[0] in (b"Z", b"X")
    except (FileNotFoundError, ProcessLookupError):
        return True


def _look_at(folder: str, number: str, count: _Count) -> None:
    status = os.stat(f"{folder}/fd/{number}")  # noqa: PTH116
    if stat.S_ISSOCK(status.st_mode):
        with open(f"{folder}/fdinfo/{number}", "rb") as file:  # noqa: PTH123
            if in_flight := _IN_FLIGHT.search(file.read()):
                count.unseen += int(in_flight[1])
    elif status.st_nlink == 0 and status.st_dev == count.device:
        count.sizes[status.st_ino] = status.st_blocks * _BLOCK_BYTES


def _look_at_maps(pid: int, count: _Count) -> None:
    """Count mapped files once: threads share a single memory, and an ended first thread lists no file."""
    device = b"%02x:%02x" % (os.major(count.device), os.minor(count.device))
    for thread in reversed(os.listdir(f"/proc/{pid}/task")):  # noqa: PTH208
        with open(f"/proc/{pid}/task/{thread}/maps", "rb") as file:  # noqa: PTH123
            lines = file.read().splitlines()
        if lines:
            deleted = (line.split(None, 5) for line in lines if line.endswith(_DELETED))
            count.mapped |= {int(fields[4]) for fields in deleted if fields[3] == device}
            return
