"""Confinement of a command at its start: each step takes something away from it, and none can be taken back."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack

from actors.linux import syscall
from actors.shell.job import FILTER_FD, FIRST_FILE_FD, STATUS_FD, Job
from actors.shell.sandbox import landlock

LIMITS = {
    "AS": 4 * 1024**3,
    "FSIZE": 100 * 1024**2,
    "NOFILE": 1024,
    "CORE": 0,
}
"""Of every process of every command; name as in `resource`, without RLIMIT_ -> most."""
_FREE_NUMBERS = 64
"""Descriptors that are to be found where they are have numbers from here on."""
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT)


def limit_all() -> None:
    """Set `LIMITS` for this process, and so for all that it will start: they need not be set for each."""
    for name, most in LIMITS.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (limit, limit))


def start(job: Job, output: int, status: int) -> tuple[int, int | None]:
    """Start the command in a session of its own, without a copy of this process in between.

    Args:
        job: What to start.
        output: Where it writes.
        status: Where bubblewrap writes.

    Returns:
        Its process number, and what the filter asks on; None with bubblewrap, whose filter asks nothing.

    Raises:
        OSError: it cannot be started.
    """
    with ExitStack() as opened:
        os.chdir(job.cwd)
        opened.callback(os.chdir, "/")
        actions = list(_descriptors(job, output, status, opened))
        if job.landlock is None:
            return _spawn(job, actions), None
        return _spawn_restricted(job, actions)


_Action = tuple[int, int, int] | tuple[int, int, str, int, int]


def _spawn(job: Job, actions: list[_Action]) -> int:
    return os.posix_spawn(
        job.argv[0],
        list(job.argv),
        dict(job.environment),
        file_actions=actions,
        setsid=True,
        setsigdef=_IGNORED_BY_PYTHON,
    )


def _spawn_restricted(job: Job, actions: list[_Action]) -> tuple[int, int]:
    """Start the command by a thread that gives all up which the command is not to have, and ends.

    Rights belong to threads, and a process gets those of the thread that starts it. For the few instructions that the
    thread lives on, the command could signal it, and so end its own supervisor: to no avail, the warden then kills it.
    """
    started: list[tuple[int, int]] = []
    faults: list[OSError] = []

    def act() -> None:
        try:
            syscall.prctl(syscall.PR_SET_NO_NEW_PRIVS, 1)
            landlock.restrict(job.landlock or {}, has_network=job.has_network)
            syscall.forgo_privileges()
            listener = syscall.seccomp_filter(job.seccomp)
            try:
                started.append((_spawn(job, actions), listener))
            except OSError:
                os.close(listener)
                raise
        except OSError as error:
            faults.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
    return started[0]


def _descriptors(job: Job, output: int, status: int, opened: ExitStack) -> Iterator[_Action]:
    """What puts descriptors where they belong; all others end with exec, as Python makes them."""

    def put(source: int, number: int) -> _Action:
        high = fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, _FREE_NUMBERS)
        opened.callback(os.close, high)
        return os.POSIX_SPAWN_DUP2, high, number

    yield os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0
    yield put(output, 1)
    yield put(output, 2)
    if job.reports_status:
        yield put(status, STATUS_FD)
    if job.seccomp and job.landlock is None:
        filter_ = os.memfd_create("seccomp")
        opened.callback(os.close, filter_)
        os.write(filter_, job.seccomp)
        os.lseek(filter_, 0, os.SEEK_SET)
        yield put(filter_, FILTER_FD)
    for number, path in enumerate(job.files, FIRST_FILE_FD):
        yield os.POSIX_SPAWN_OPEN, number, path, os.O_RDONLY, 0
