"""The small process that starts commands for the agent: it forks in a millisecond, where the agent would take many.

The agent starts one of it and speaks to it by one socket. Each byte that comes there brings two descriptors, a socket
for the one command (see `job`) and where the command is to write. A few forks wait for that byte all the time, so that
forking is done before a command comes and not while somebody waits for it. The first of them that gets it becomes the
command's supervisor.

Besides, this process is the parent of last resort: if a supervisor dies, what it was to look after falls to this one,
which kills it.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import struct
import sys
import traceback
from contextlib import suppress

from actors.shell.sandbox import syscall
from actors.shell.sandbox.job import receive
from actors.shell.sandbox.supervisor import descendants, prepare, supervise

SPARES = 2
"""Forks that wait for a command."""
DESCRIPTORS = 2
_PID = struct.Struct("=i")
_FAILED = 1


def main() -> None:
    """Serve until the agent is gone; the socket's descriptor is the first argument."""
    orders = socket.socket(fileno=int(sys.argv[1]))
    syscall.prctl(syscall.PR_SET_CHILD_SUBREAPER, 1)
    # What lives now is never collected: a collection in a fork would copy all that it looks at.
    gc.collect()
    gc.freeze()
    gc.disable()
    Warden(orders).run()


class Warden:
    """Keeps a few forks waiting, and buries all."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._wake, writable = os.pipe()
        for descriptor in (self._wake, writable):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        self._taken, self._take = os.pipe()
        self._spares: set[int] = set()
        self._supervisors: set[int] = set()
        self._is_over = False

    def run(self) -> None:
        """Until a spare sees that there will be no more orders, or none can be had."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        poll.register(self._taken, select.POLLIN)
        while not self._is_over:
            while len(self._spares) < SPARES:
                self._fork()
            for descriptor, _ in poll.poll():
                if descriptor == self._taken:
                    self._note_taken()
                else:
                    self._reap()

    def _fork(self) -> None:
        pid = os.fork()
        if pid == 0:
            self._serve()
        self._spares.add(pid)

    def _serve(self) -> None:
        """In a fork: wait for an order, be its supervisor, and end."""
        status = _FAILED
        try:
            syscall.prctl(syscall.PR_SET_PDEATHSIG, signal.SIGKILL)
            os.close(self._taken)
            wake = prepare()
            word, descriptors = receive(self._orders, 1)
            if word and len(descriptors) == DESCRIPTORS:
                syscall.prctl(syscall.PR_SET_PDEATHSIG, 0)  # from here on the agent's end of the channel counts
                os.write(self._take, _PID.pack(os.getpid()))
                os.close(self._take)
                self._orders.close()
                supervise(wake, socket.socket(fileno=descriptors[0]), descriptors[1])
            status = 0
        finally:
            if status:  # the agent sees the channel end without a word; the reason goes to its stderr
                traceback.print_exc()
            os._exit(status)

    def _note_taken(self) -> None:
        (pid,) = _PID.unpack(os.read(self._taken, _PID.size))
        self._spares.discard(pid)
        self._supervisors.add(pid)

    def _reap(self) -> None:
        """Bury the dead, and kill what a dead supervisor has left."""
        with suppress(BlockingIOError):
            os.read(self._wake, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._spares and not self._has_taken(pid):
                self._is_over = True  # the agent is gone, or nothing works here
            self._spares.discard(pid)
            self._supervisors.discard(pid)
            if status != 0:
                self._kill_orphans()

    def _has_taken(self, pid: int) -> bool:
        """Whether a fork that ended has said before that it had an order."""
        ready = select.poll()
        ready.register(self._taken, select.POLLIN)
        while pid in self._spares and ready.poll(0):
            self._note_taken()
        return pid not in self._spares

    def _kill_orphans(self) -> None:
        """Kill everything below this process that has no living supervisor."""
        forks = self._spares | self._supervisors
        looked_after = {pid for fork in forks for pid in descendants(fork)} | forks
        while orphans := descendants(os.getpid()) - looked_after:
            for pid in orphans:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            looked_after |= orphans
