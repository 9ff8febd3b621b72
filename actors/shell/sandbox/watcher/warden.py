"""Small process that starts commands for the agent: it forks in a millisecond, much faster than the agent.

The agent starts one warden and sends orders by one socket. Each byte brings two descriptors, a socket for the
command (see `job`) and the command's output. A few forks wait for a byte all the time, so the fork is done before a
command comes and not while the caller waits. The first fork to receive the byte becomes the command's supervisor,
and waits again when no process of the command is left. A used fork is faster by some milliseconds, since its memory
is no longer shared with this process. Each fork is in a control group of its own, if possible.

Besides, this process is the parent of last resort: if a supervisor dies, this process inherits and kills the
supervisor's processes.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import struct
import sys
from contextlib import suppress

from actors.linux import syscall
from actors.linux.processes import family_of
from actors.shell.job import receive
from actors.shell.sandbox.watcher.confinement import limit_all
from actors.shell.sandbox.watcher.groups import GroupRoot, find_groups
from actors.shell.sandbox.watcher.supervisor import prepare, supervise

SPARES = 2
"""Least number of forks waiting for a command; surplus forks end after waiting longer than `IDLE_S`."""
IDLE_S = 60
MOST_COMMANDS = 200
"""Most commands of a fork. No pile-up in a fork is known; any pile ends with the fork."""
DESCRIPTORS = 2
_NOTE = struct.Struct("=i?")
"""Process number of a fork; True while the fork has a command."""
_OVER, _FAILED, _RETIRED, _WORKED = range(4)
"""Endings of a wait for an order: no more orders, a fault, enough commands, a command carried out."""
_WAITING_TIME = struct.Struct("=qq")


def main() -> None:
    """Serve until the agent is gone.

    Arguments: the socket's descriptor, where our packages are, and how many threads the control group of a command may
    have, 0 for no groups.
    """
    orders = socket.socket(fileno=int(sys.argv[1]))
    orders.set_inheritable(False)
    orders.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _WAITING_TIME.pack(IDLE_S, 0))
    syscall.prctl(syscall.PR_SET_CHILD_SUBREAPER, 1)
    limit_all()
    # What lives now is never collected: a collection in a fork would copy all that it looks at.
    gc.collect()
    gc.freeze()
    gc.disable()
    threads = int(sys.argv[3])
    Warden(orders, find_groups(threads) if threads else None).run()


class Warden:
    """Parent of all commands: keeps a few forks waiting, and buries all."""

    def __init__(self, orders: socket.socket, groups: GroupRoot | None) -> None:
        self._orders = orders
        self._groups = groups
        if groups is not None:
            groups.sweep()
        self._wake, writable = os.pipe()
        for descriptor in (self._wake, writable):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        self._noted, self._note = os.pipe()
        os.set_blocking(self._noted, False)
        self._pid = os.getpid()
        self._spares: set[int] = set()
        self._supervisors: set[int] = set()
        self._is_over = False

    def run(self) -> None:
        """Run until a spare sees the end of orders, or orders become impossible."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        poll.register(self._noted, select.POLLIN)
        while not self._is_over:
            while len(self._spares) < SPARES:
                self._fork()
            for descriptor, _ in poll.poll():
                if descriptor == self._noted:
                    self._take_note()
                else:
                    self._reap()
        self._dismiss()

    def _dismiss(self) -> None:
        """End the spares. Forks with a command end with it, for the agent's end of their channel is closed."""
        for pid in tuple(self._spares):
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            if self._groups is not None:
                self._groups.remove(pid)

    def _fork(self) -> None:
        pid = os.fork()
        if pid == 0:
            self._serve()
        self._spares.add(pid)

    def _serve(self) -> None:
        """In a fork: wait for orders, be the supervisor of each, and end."""
        status = _FAILED
        try:
            os.close(self._noted)
            wake = prepare()
            group = self._join_group()
            status = self._wait(wake, group, had_one=False)
            for _ in range(MOST_COMMANDS - 1):
                if status != _WORKED:
                    break
                status = self._wait(wake, group, had_one=True)
        finally:
            if status == _FAILED:  # the agent sees the channel end without a word; the reason goes to its stderr
                import traceback  # takes 15 ms, which every start of the warden would pay for

                traceback.print_exc()
            os._exit(_RETIRED if status == _WORKED else status)

    def _join_group(self) -> GroupRoot | None:
        """In a fork: join a bounding control group, if possible."""
        if self._groups is None:
            return None
        try:
            self._groups.join()
        except OSError:
            self._groups.remove(os.getpid())
            return None
        return self._groups

    def _wait(self, wake: int, group: GroupRoot | None, *, had_one: bool) -> int:
        """In a fork: wait for an order and carry the order out."""
        syscall.prctl(syscall.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self._pid:
            return _RETIRED
        if had_one:
            self._tell(has_command=False)
        word, descriptors = b"", list[int]()
        while not descriptors:
            try:
                word, descriptors = receive(self._orders, 1)
            except BlockingIOError:
                if had_one:
                    return _RETIRED
            else:
                break
        if not word or len(descriptors) != DESCRIPTORS:
            return _OVER
        syscall.prctl(syscall.PR_SET_PDEATHSIG, 0)  # from here on the agent's end of the channel counts
        self._tell(has_command=True)
        supervise(wake, socket.socket(fileno=descriptors[0]), descriptors[1], group)
        return _WORKED

    def _tell(self, *, has_command: bool) -> None:
        os.write(self._note, _NOTE.pack(os.getpid(), has_command))

    def _take_note(self) -> None:
        """Take the next note of a fork, unless `_has_taken` has taken the note since the poll."""
        try:
            note = os.read(self._noted, _NOTE.size)
        except BlockingIOError:
            return
        pid, has_command = _NOTE.unpack(note)
        origin, goal = (self._spares, self._supervisors) if has_command else (self._supervisors, self._spares)
        if pid in origin:
            origin.discard(pid)
            goal.add(pid)

    def _reap(self) -> None:
        """Reap ended children, and kill the remains of a dead supervisor."""
        with suppress(BlockingIOError):
            os.read(self._wake, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            has_retired = os.waitstatus_to_exitcode(status) == _RETIRED
            if pid in self._spares and not has_retired and not self._has_taken(pid):
                self._is_over = True  # the agent is gone, or nothing works here
            self._spares.discard(pid)
            self._supervisors.discard(pid)
            if status != 0:
                self._kill_orphans()
            if self._groups is not None:
                self._groups.remove(pid)

    def _has_taken(self, pid: int) -> bool:
        """True if an ended fork had reported an order."""
        ready = select.poll()
        ready.register(self._noted, select.POLLIN)
        while pid in self._spares and ready.poll(0):
            self._take_note()
        return pid not in self._spares

    def _kill_orphans(self) -> None:
        """Kill processes without a supervisor, now children of this process: with bubblewrap ends all of a command.

        Only children are considered: a supervisor's new process is no child, and so no orphan.
        """
        here = os.getpid()
        for pid, status in family_of(here).items():
            if status.parent == here and pid not in self._spares | self._supervisors:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
