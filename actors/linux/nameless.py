"""Nameless files: what processes hold of a disk that is in no folder, since its name is gone or it never had one."""

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
"""That a process may have, so that one which is shut counts as if it had so many."""
_IN_FLIGHT = re.compile(rb"^scm_fds:\s*([0-9]+)", re.MULTILINE)
_DELETED = b" (deleted)"


@dataclass(frozen=True, slots=True)
class Held:
    """What was found so far."""

    files: int = 0
    bytes: int = 0
    """By the blocks that they take."""
    unseen: int = 0
    """How many more there may be where nobody can look: underway in a socket, mapped, or of a process that is shut."""


class _Found:
    def __init__(self, device: int) -> None:
        self.device = device
        self.sizes: dict[int, int] = {}
        self.mapped: set[int] = set()
        self.unseen = 0

    def held(self) -> Held:
        unseen = self.unseen + len(self.mapped - self.sizes.keys())
        return Held(len(self.sizes), sum(self.sizes.values()), unseen)


def nameless_files(ancestor: int, device: int) -> Iterator[Held]:
    """What all that stem from `ancestor` hold, counted so far, after each `SLICE` descriptors and at the end.

    Args:
        ancestor: Process number.
        device: Of the disk, as `stat` has it.
    """
    found, steps = _Found(device), 0
    for pid in family_of(ancestor):
        for thread in _listed(f"/proc/{pid}/task", found):
            folder = f"/proc/{pid}/task/{thread}"
            for number in _listed(f"{folder}/fd", found):  # a thread may have descriptors of its own
                with suppress(OSError):
                    _look_at(folder, number, found)
                steps += 1
                if steps % SLICE == 0:
                    yield found.held()
        with suppress(OSError):
            _look_at_maps(pid, found)
        steps += 1
        if steps % SLICE == 0:
            yield found.held()
    yield found.held()


def _listed(folder: str, found: _Found) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - thrice as fast
    except PermissionError:
        if not _has_ended(folder):
            found.unseen += _MOST_DESCRIPTORS
    except OSError:  # it has ended
        pass
    return []


def _has_ended(folder: str) -> bool:
    """True if the thread of a folder in /proc has ended: it holds nothing, and its folders are shut to all but root."""
    thread = folder.removesuffix("/fd")
    try:
        with open(f"{thread}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split(None, 1)[0] in (b"Z", b"X")
    except (FileNotFoundError, ProcessLookupError):
        return True


def _look_at(folder: str, number: str, found: _Found) -> None:
    status = os.stat(f"{folder}/fd/{number}")  # noqa: PTH116
    if stat.S_ISSOCK(status.st_mode):
        with open(f"{folder}/fdinfo/{number}", "rb") as file:  # noqa: PTH123
            if in_flight := _IN_FLIGHT.search(file.read()):
                found.unseen += int(in_flight[1])
    elif status.st_nlink == 0 and status.st_dev == found.device:
        found.sizes[status.st_ino] = status.st_blocks * _BLOCK_BYTES


def _look_at_maps(pid: int, found: _Found) -> None:
    """Threads have one memory; that of a first thread which has ended shows nothing any more."""
    device = b"%02x:%02x" % (os.major(found.device), os.minor(found.device))
    for thread in reversed(os.listdir(f"/proc/{pid}/task")):  # noqa: PTH208
        with open(f"/proc/{pid}/task/{thread}/maps", "rb") as file:  # noqa: PTH123
            lines = file.read().splitlines()
        if lines:
            deleted = (line.split(None, 5) for line in lines if line.endswith(_DELETED))
            found.mapped |= {int(fields[4]) for fields in deleted if fields[3] == device}
            return
