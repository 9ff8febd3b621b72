"""Start of a command's process: limits inherited by all children, and bubblewrap's descriptors."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

from actors.linux.descriptors import in_memory
from actors.shell.job import BLOCK_FD, FILTER_FD, FIRST_FILE_FD, STATUS_FD, SYNC_FD, Job

LIMITS = {
    "AS": 4 * 1024**3,
    "FSIZE": 100 * 1024**2,
    "NOFILE": 1024,
    "CORE": 0,
}
"""Of every process of every command; name as in `resource`, without RLIMIT_ -> most."""
_FREE_NUMBERS = 64
"""Least number of descriptors outside fixed places."""
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT)


def limit_all() -> None:
    """Set `LIMITS` for this process, and so for all its children: no child needs limits of its own."""
    for name, most in LIMITS.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (limit, limit))


def start(job: Job, seccomp: bytes, *, output: int, status: int, sync: int, block: int = -1) -> int:
    """Start the command in a separate session, without a copy of this process in between.

    Args:
        job: Job to start.
        seccomp: The job's filter for this machine.
        output: Descriptor for the command's output.
        status: Descriptor to which bubblewrap writes.
        sync: Descriptor that stays open in bubblewrap, though not in the command, as long as the sandbox lives.
        block: Descriptor from which bubblewrap reads a byte before it starts the command; -1 for a job without mounts
            of its own.

    Returns:
        Number of the process.

    Raises:
        OSError: the process cannot be started.
    """
    with ExitStack() as opened:
        numbers = {output: (1, 2), status: (STATUS_FD,), sync: (SYNC_FD,)} | (
            {block: (BLOCK_FD,)} if block >= 0 else {}
        )
        actions = list(_descriptors(job, seccomp, numbers, opened))
        return os.posix_spawn(
            job.argv[0],
            list(job.argv),
            dict(job.environment),
            file_actions=actions,
            setsid=True,
            setsigdef=_IGNORED_BY_PYTHON,
        )


_Action = tuple[int, int, int] | tuple[int, int, str, int, int]


def _descriptors(
    job: Job, seccomp: bytes, numbers: Mapping[int, tuple[int, ...]], opened: ExitStack
) -> Iterator[_Action]:
    """File actions to put descriptors at their numbers; all other descriptors are close-on-exec, Python's default."""

    def put(source: int, number: int) -> _Action:
        high = fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, _FREE_NUMBERS)
        opened.callback(os.close, high)
        return os.POSIX_SPAWN_DUP2, high, number

    filter_ = in_memory("seccomp", seccomp)
    opened.callback(os.close, filter_)
    if job.stdin:
        stdin = in_memory("stdin", job.stdin)
        opened.callback(os.close, stdin)
        yield put(stdin, 0)
    else:
        yield os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0
    for source, places in {**numbers, filter_: (FILTER_FD,)}.items():
        for number in places:
            yield put(source, number)
    for number, path in enumerate(job.files, FIRST_FILE_FD):
        yield os.POSIX_SPAWN_OPEN, number, path, os.O_RDONLY, 0
