"""The last steps of a child on its way to being the command: each takes something away, and none can be taken back."""

from __future__ import annotations

import os
import resource
import signal
import socket
from collections.abc import Sequence

from actors.shell.sandbox import landlock, syscall
from actors.shell.sandbox.job import FILTER_FD, FIRST_FILE_FD, STATUS_FD, Job

CANNOT_START = 127


def become(job: Job, output: int, status: int, link: socket.socket) -> None:
    """Turn this freshly forked process into the command; returns only if that fails, having said so on `link`.

    Args:
        job: What to become.
        output: Where it writes; as the other two, a number above all that are assigned here.
        status: Where bubblewrap writes.
        link: Takes the filter's listener, if there is one, or a fault's text; closed by becoming.
    """
    try:
        _detach()
        _connect(output, status if job.reports_status else None)
        _limit(job)
        os.chdir(job.cwd)
        if job.landlock is not None:
            syscall.prctl(syscall.PR_SET_NO_NEW_PRIVS, 1)
            landlock.restrict(job.landlock, has_network=job.has_network)
            syscall.forgo_privileges()
            socket.send_fds(link, [b"L"], [syscall.seccomp_filter(job.seccomp)])
        elif job.seccomp:
            _offer(job.seccomp)
            _open_files(job.files)
        os.execve(job.argv[0], list(job.argv), dict(job.environment))
    except (OSError, ValueError) as error:
        link.sendall(b"F" + str(error).encode())


def _detach() -> None:
    """A session of its own, and signals as programs expect them; Python had them otherwise."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGALRM, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def _connect(output: int, status: int | None) -> None:
    """Put descriptors where they belong; all others end with exec, as Python makes them."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if status is not None:
        os.dup2(status, STATUS_FD)


def _limit(job: Job) -> None:
    for name, most in job.limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (wanted, wanted))
    os.nice(job.nice)


def _open_files(paths: Sequence[str]) -> None:
    for number, path in enumerate(paths, FIRST_FILE_FD):
        os.dup2(os.open(path, os.O_RDONLY | os.O_CLOEXEC), number)


def _offer(program: bytes) -> None:
    """Have the filter where bubblewrap reads it."""
    file = os.memfd_create("seccomp")
    os.write(file, program)
    os.lseek(file, 0, os.SEEK_SET)
    os.dup2(file, FILTER_FD)
