"""The process beside every command that outlives it, so that nothing which the command started does."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from actors.linux import syscall
from actors.shell.job import HEADER, Ending, Job
from actors.shell.sandbox import landlock
from actors.shell.sandbox.watcher.broker import Broker
from actors.shell.sandbox.watcher.confinement import start

LAST_WORDS_S = 0.2
"""How long children may go on after bash has ended (as in `make > >(tee log)`) before they are killed."""
KILL_PAUSE_MS = 10
LOOK_PAUSE_MS = 10
GIVE_WAY_S = 0.05
"""After so long a command gives way to others; to begin is urgent even where the machine is busy."""
_FIRST = re.compile(rb'"child-pid": *([0-9]+)')
"""In bubblewrap's words: the first process of the namespace."""
_BEST_PRIORITY, _LEAST_PRIORITY = -20, 19


def prepare() -> int:
    """Make this process fit to supervise, as far as that needs no command: the parent of all that will lose their own.

    Returns:
        A descriptor that becomes readable when a child has ended or time is up.
    """
    syscall.prctl(syscall.PR_SET_CHILD_SUBREAPER, 1)
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    return readable


def supervise(wake: int, channel: socket.socket, output: int) -> None:
    """Run one command and see to it that nothing of it is left.

    Args:
        wake: What `prepare` gave.
        channel: Brings the job; its end, at any time, is the order to kill. Takes the ending. Closed, as is
        output: Where the command writes.
    """
    with channel:
        job = _received(channel)
        if job is None:
            os.close(output)
            return
        ending = Supervisor(job, channel, wake).run(output)
        if job.scratch:
            _remove(job.scratch)
        with suppress(OSError):  # nobody wants to know any more
            channel.sendall(ending.encode())


def may_supervise_again() -> bool:
    """Whether nothing of the last command keeps this process busy: a connection that the broker still waits for."""
    return threading.active_count() == 1


class Supervisor:
    """Parent of one command, and of whatever loses its own parent below it."""

    def __init__(self, job: Job, channel: socket.socket, wake: int) -> None:
        self._job = job
        self._channel = channel
        self._wake = wake
        self._main = 0
        self._status: int | None = None
        self._is_deserted = False
        """Whether no child is left."""
        self._is_to_end = False
        self._too_many = 0
        self._told = -1
        self._words = b""
        self._fault = ""
        self._threads_before = _all_threads() if job.most_processes else 0
        self._began = time.monotonic()
        self._has_given_way = False
        self._priority = os.getpriority(os.PRIO_PROCESS, 0)
        self._broker: Broker | None = None
        self._reaches_only_its_own = job.landlock is not None

    def run(self, output: int) -> Ending:
        """From the start to the last process's end; closes `output`."""
        if self._reaches_only_its_own:
            _keep_signals_inside()
        for number in (signal.SIGCHLD, signal.SIGALRM):
            signal.signal(number, self._note)
        self._told, status = os.pipe()
        os.set_blocking(self._told, False)
        try:
            self._start(output, status)
            if self._main:
                self._go_first()
                self._attend()
                self._kill_all()
            return self._ending()
        finally:  # the next command finds nothing of this one
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.setpriority(os.PRIO_PROCESS, 0, self._priority)
            os.close(self._told)
            if self._broker is not None:
                os.close(self._broker.listener)

    def _start(self, output: int, status: int) -> None:
        try:
            self._main, listener = start(self._job, output, status)
        except OSError as error:
            self._fault = str(error)
        else:
            if listener is not None:
                self._broker = Broker(listener, (self._job.landlock or {}).get("own", ()), self._job.door)
        finally:
            os.close(output)
            os.close(status)

    def _attend(self) -> None:
        """Until no child is left, or it is time to kill them."""
        actions: dict[int, Callable[[], None]] = {self._channel.fileno(): self._end, self._wake: self._reap}
        if self._broker is not None:
            actions[self._broker.listener] = self._broker.answer
        poll = select.poll()
        for descriptor in actions:
            poll.register(descriptor, select.POLLIN)
        while not (self._is_deserted or self._is_to_end):
            is_looking = self._job.most_processes or not self._has_given_way
            for descriptor, happened in poll.poll(LOOK_PAUSE_MS if is_looking else None):
                if happened & select.POLLIN or descriptor != getattr(self._broker, "listener", None):
                    actions[descriptor]()
                else:  # nobody is left who could ask
                    poll.unregister(descriptor)
            if is_looking:
                self._look()

    def _look(self) -> None:
        if self._job.most_processes:
            self._count()
        if not self._has_given_way and time.monotonic() - self._began >= GIVE_WAY_S:
            self._give_way()

    def _go_first(self) -> None:
        """Where only this process holds a command that multiplies, go before it until it has given way."""
        if self._job.most_processes:
            try:
                os.setpriority(os.PRIO_PROCESS, 0, _BEST_PRIORITY)
            except PermissionError:  # root, but not of the whole machine
                self._give_way()

    def _give_way(self) -> None:
        """Have all of the command give way to others, with all their threads and however they multiply."""
        self._has_given_way = True
        priority = min(_LEAST_PRIORITY, self._priority + self._job.nice)
        groups = {-1}
        while groups and not self._is_to_end:
            groups = {group for group in _groups(descendants(os.getpid())) if _priority(group) < priority}
            for group in groups:
                with suppress(ProcessLookupError):
                    os.setpriority(os.PRIO_PGRP, group, priority)
            if self._job.most_processes:
                self._count()
        os.setpriority(os.PRIO_PROCESS, 0, self._priority)

    def _end(self) -> None:
        self._is_to_end = True

    def _note(self, number: int, _frame: object) -> None:
        if number == signal.SIGALRM:
            self._end()

    def _reap(self) -> None:
        """Bury the dead; when the command itself is among them, the others have a moment left."""
        with suppress(BlockingIOError):
            os.read(self._wake, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._is_deserted = True
                return
            if pid == 0:
                return
            if pid == self._main:
                self._status = status
                signal.setitimer(signal.ITIMER_REAL, LAST_WORDS_S)

    def _count(self) -> None:
        """End a command that has too many processes. Only if all the machine has many more is it worth a close look."""
        if _all_threads() - self._threads_before > self._job.most_processes:
            count = len(descendants(os.getpid()))
            if count > self._job.most_processes:
                self._too_many = count
                self._end()

    def _kill_all(self) -> None:
        """Kill all that are left and wait until they are dead."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        self._reap()
        while not self._is_deserted:
            self._kill()
            poll.poll(KILL_PAUSE_MS)
            self._reap()

    def _kill(self) -> None:
        """Kill in a way that nobody escapes by starting another meanwhile."""
        if self._reaches_only_its_own:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(-1, signal.SIGKILL)
        elif self._status is None:
            self._hasten_bubblewrap()
            with suppress(ProcessLookupError):
                os.kill(self._main, signal.SIGKILL)  # bubblewrap, with which its namespace ends
        else:
            _each(descendants(os.getpid()), lambda pid: os.kill(pid, signal.SIGKILL))
        if os.geteuid() == 0:  # dying takes processor time, too, of which they were to have little
            _each(descendants(os.getpid()), lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 0))

    def _hasten_bubblewrap(self) -> None:
        """See that its two processes, with whose death all die, need not queue behind the others for the processor."""
        if os.geteuid() == 0:
            first = _FIRST.search(self._read_told())
            for pid in {self._main, int(first[1]) if first else self._main}:
                with suppress(ProcessLookupError, PermissionError):
                    os.setpriority(os.PRIO_PROCESS, pid, _BEST_PRIORITY)

    def _read_told(self) -> bytes:
        """All that bubblewrap has told until now."""
        with suppress(BlockingIOError):
            self._words += os.read(self._told, 65536)
        return self._words

    def _ending(self) -> Ending:
        if self._fault:
            return Ending(fault=self._fault)
        exit_code = None if self._status is None else os.waitstatus_to_exitcode(self._status)
        if self._job.reports_status and exit_code is not None and not self._is_to_end and not self._has_run():
            return Ending(fault=f"bubblewrap ended with {exit_code} before the command had begun")
        return Ending(exit_code=None if self._too_many else exit_code, too_many=self._too_many)

    def _has_run(self) -> bool:
        """Whether bubblewrap has told of the command's end, which it does only if there was a beginning."""
        return b'"exit-code"' in self._read_told()


def _remove(folder: str) -> None:
    try:
        os.rmdir(folder)  # noqa: PTH106
    except OSError:
        import shutil  # is large, which every fork would pay for, and hardly ever needed

        shutil.rmtree(folder, ignore_errors=True)


def descendants(ancestor: int) -> set[int]:
    """Process numbers of all that stem from `ancestor`, without the dead."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208
        if entry.isdecimal():
            with suppress(FileNotFoundError, ProcessLookupError):
                parent, is_dead = _parent(entry)
                if not is_dead:
                    children.setdefault(parent, []).append(int(entry))
    family: set[int] = set()
    generation = children.get(ancestor, [])
    while generation:
        family.update(generation)
        generation = [child for parent in generation for child in children.get(parent, [])]
    return family


def _parent(pid: str) -> tuple[int, bool]:
    """The parent of a process, and whether the process is dead."""
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
        # The name before the last ")" may hold anything.
        state, parent = file.read().rpartition(b")")[2].split()[:2]
    return int(parent), state in (b"Z", b"X")


def _each(pids: set[int], act: Callable[[int], None]) -> None:
    """Do something to each of `pids` that is still there."""
    for pid in pids:
        with suppress(ProcessLookupError):
            act(pid)


def _all_threads() -> int:
    """How many threads there are on the machine."""
    with open("/proc/loadavg", "rb") as file:  # noqa: PTH123
        return int(file.read().split()[3].split(b"/")[1])


@cache
def _keep_signals_inside() -> None:
    """Once is enough, and what a process started before that has ended."""
    landlock.keep_signals_inside()


def _groups(pids: set[int]) -> set[int]:
    """The process groups of those of `pids` that are still there."""
    groups = set()
    for pid in pids:
        with suppress(ProcessLookupError):
            groups.add(os.getpgid(pid))
    return groups


def _priority(group: int) -> int:
    """The best of a process group; the worst there is if nobody is in it any more."""
    try:
        return os.getpriority(os.PRIO_PGRP, group)
    except ProcessLookupError:
        return _LEAST_PRIORITY


def _received(channel: socket.socket) -> Job | None:
    """The job; None if the agent thought better of it."""
    header = _exactly(channel, HEADER.size)
    body = _exactly(channel, HEADER.unpack(header)[0]) if header else b""
    return Job.decode(body) if body else None


def _exactly(channel: socket.socket, size: int) -> bytes:
    """The next `size` bytes; none if the channel ends before."""
    pieces = bytearray()
    while len(pieces) < size:
        piece = channel.recv(size - len(pieces))
        if not piece:
            return b""
        pieces += piece
    return bytes(pieces)
