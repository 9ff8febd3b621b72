"""Process table of /proc: parents, threads and memory of processes, and the kernel's actions at a process's end."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass

from actors.linux import syscall

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class ProcessStatus:
    """Line of the process table."""

    parent: int
    is_dead: bool
    """True for a zombie without a running thread; a process with only its first thread ended is not dead."""
    threads: int
    resident_bytes: int


def descendants(ancestor: int) -> set[int]:
    """Process numbers of all descendants of `ancestor`, without the dead."""
    return set(family_of(ancestor))


def family_of(ancestor: int) -> dict[int, ProcessStatus]:
    """Process number -> status of all descendants of `ancestor`, without the dead."""
    living = _living()
    children: dict[int, list[int]] = {}
    for pid, status in living.items():
        children.setdefault(status.parent, []).append(pid)
    family: dict[int, ProcessStatus] = {}
    generation = children.get(ancestor, [])
    while generation:
        family |= {pid: living[pid] for pid in generation}
        generation = [child for parent in generation for child in children.get(parent, [])]
    return family


def _living() -> dict[int, ProcessStatus]:
    """Process number -> status of all processes shown by /proc, without the dead."""
    living: dict[int, ProcessStatus] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - thrice as fast
        if entry.isdecimal():
            with suppress(FileNotFoundError, ProcessLookupError):
                status = process_status(int(entry))
                if not status.is_dead:
                    living[int(entry)] = status
    return living


def process_status(pid: int) -> ProcessStatus:
    """Status of a process.

    Raises:
        FileNotFoundError: the process does not exist.
        ProcessLookupError: the process has ended meanwhile.
    """
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
        # The name before the last ")" may hold anything.
        fields = file.read().rpartition(b")")[2].split()
    threads, has_ended = int(fields[17]), fields[0] in (b"Z", b"X")
    is_dead = has_ended and threads <= 1
    return ProcessStatus(
        parent=int(fields[1]),
        is_dead=is_dead,
        threads=threads,
        resident_bytes=_others_bytes(pid) if has_ended and not is_dead else int(fields[21]) * _PAGE_BYTES,
    )


def _others_bytes(pid: int) -> int:
    """Memory of a process with an ended first thread, read from the other threads."""
    largest = 0
    for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
        with suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{pid}/task/{thread}/statm", "rb") as file:  # noqa: PTH123
            largest = max(largest, int(file.read().split()[1]))
    return largest * _PAGE_BYTES


def resident_bytes(ancestor: int) -> int:
    """Memory of all descendants of `ancestor`; shared memory counts for each."""
    return sum(status.resident_bytes for status in family_of(ancestor).values())


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the thread that started the process ends; on Linux only.

    Args:
        parent: Process number of the parent; if the parent has died already, this process ends at once.
    """
    if sys.platform == "linux":
        syscall.prctl(syscall.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def written_bytes(ancestor: int) -> int:
    """Bytes written to disks by all descendants of `ancestor`, ended processes included; 0 without access."""
    written = 0
    for pid in family_of(ancestor):
        with suppress(OSError), open(f"/proc/{pid}/io", "rb") as file:  # noqa: PTH123
            fields = dict(line.split(b":") for line in file.read().splitlines())
            written += int(fields[b"write_bytes"]) - int(fields[b"cancelled_write_bytes"])
    return written


def machine_bytes() -> int:
    """Memory of the machine."""
    return _PAGE_BYTES * os.sysconf("SC_PHYS_PAGES")


def all_threads() -> int:
    """Number of threads on the machine, or of the processes visible in /proc if /proc shows nothing else."""
    try:
        with open("/proc/loadavg", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[3].split(b"/")[1])
    except FileNotFoundError:  # mounted with `subset=pid`
        return sum(status.threads for status in _living().values())


FIRST_TO_DIE = 1000
BEFORE_OTHERS = 500


def set_oom_score(score: int) -> None:
    """Set the OOM score of this process and its future children: the highest is killed first; at most 1,000.

    Raises:
        OSError: the kernel refused, though any process may raise its score.
    """
    with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
        file.write(str(score))
