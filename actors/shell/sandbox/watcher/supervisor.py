"""Process beside each command that outlives the command, so no process of the command survives.

A command lives in a process namespace of its own. The namespace ends with its first process, the first process with
bubblewrap, and bubblewrap with this process. So one kill ends all processes, however fast they multiply, without any
search.
"""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import cache

from actors.linux import syscall
from actors.linux.processes import BEFORE_OTHERS, FIRST_TO_DIE, descendants, set_oom_score
from actors.shell.job import HEADER, Ending, Job
from actors.shell.sandbox import scope
from actors.shell.sandbox.watcher.bounds import Bounds
from actors.shell.sandbox.watcher.confinement import start
from actors.shell.sandbox.watcher.groups import CPU_SHARE, GroupRoot
from actors.shell.sandbox.watcher.mounter import has_made_mounts, make_mounts

LAST_WORDS_S = 0.2
"""Seconds that children may go on after bash has ended (as in `make > >(tee log)`) before they are killed."""
KILL_PAUSE_MS = 10
MOUNT_PAUSE_MS = 1
GIVE_WAY_S = 0.05
"""Seconds after which a command gives way to other commands; a start is urgent even on a busy machine."""
_FIRST = re.compile(rb'"child-pid": *([0-9]+)')
"""In bubblewrap's words: the first process of the namespace."""
_BEST_PRIORITY, _LEAST_PRIORITY = -20, 19


def prepare() -> int:
    """Make this process fit to supervise, before any command: the parent of all processes that will lose their own.

    Returns:
        A descriptor that becomes readable when a child has ended or time is up.
    """
    syscall.prctl(syscall.PR_SET_CHILD_SUBREAPER, 1)
    set_oom_score(BEFORE_OTHERS)
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    return readable


def supervise(wake: int, channel: socket.socket, output: int, group: GroupRoot | None) -> None:
    """Run a command and leave no process of the command behind.

    Args:
        wake: Result of `prepare`.
        channel: Brings the job; its end, at any time, is the order to kill. Takes the ending. Closed at the end.
        output: Descriptor for the command's output; closed as well.
        group: Control group of this process, with bounds on the command; None without control groups.
    """
    with channel:
        job = _receive_job(channel)
        if job is None:
            os.close(output)
            return
        ending = Supervisor(job, channel, wake, group).run(output)
        with suppress(OSError):  # nobody wants to know any more
            channel.sendall(ending.encode())


class Supervisor:
    """Parent of a command, and of every descendant that loses its own parent."""

    def __init__(self, job: Job, channel: socket.socket, wake: int, group: GroupRoot | None) -> None:
        self._job = job
        self._channel = channel
        self._wake = wake
        self._group = group
        self._main = 0
        self._first = 0
        self._status: int | None = None
        self._is_deserted = False
        """True if no child is left."""
        self._is_to_end = False
        self._exceeded = ""
        self._report = self._go = -1
        self._words = b""
        self._fault = ""
        self._bounds: Bounds | None = None
        self._has_share = group is not None and group.has_share()
        self._is_calm = self._has_share
        """True if the command's session has given way, or a group sets the command's share."""
        self._began = time.monotonic()
        self._has_given_way = False
        self._priority = os.getpriority(os.PRIO_PROCESS, 0)
        self._holds_back = bool(job.limits.most_threads) and group is None
        """True if only this process restrains a multiplying command, and so needs a better priority."""

    def run(self, output: int) -> Ending:
        """From the start to the last process's end; closes `output`."""
        for number in (signal.SIGCHLD, signal.SIGALRM):
            signal.signal(number, self._note)
        self._report, status = os.pipe()
        os.set_blocking(self._report, False)
        block, self._go = os.pipe() if self._job.late else (-1, -1)
        try:
            self._start(output, status, block)
            if self._main:
                self._go_first()
                if self._job.late:
                    self._mount_late()
                self._attend()
                self._kill_all()
            return self._ending()
        finally:  # the next command finds nothing of this one
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.setpriority(os.PRIO_PROCESS, 0, self._priority)
            os.close(self._report)
            if self._go >= 0:
                os.close(self._go)
            if self._bounds is not None:
                self._bounds.close()
            if self._group is not None and self._has_given_way:
                self._group.set_share(100)

    def _start(self, output: int, status: int, block: int) -> None:
        job = self._job
        try:
            if job.is_scoped:
                _stay_inside()
            self._bounds = Bounds(job.limits, job.shared, has_group=self._group is not None)
            seccomp = job.seccomp if self._has_share else job.seccomp_ungrouped
            set_oom_score(FIRST_TO_DIE)
            self._main = start(job, seccomp, output=output, status=status, sync=self._channel.fileno(), block=block)
            with suppress(PermissionError):  # then it dies with the command, and the agent is told by its end
                set_oom_score(BEFORE_OTHERS)
        except OSError as error:
            self._fault = str(error)
        finally:
            os.close(output)
            os.close(status)
            if block >= 0:
                os.close(block)

    def _mount_late(self) -> None:
        """Wait until bubblewrap has made its mounts, make the late mounts, and let bubblewrap start the command."""
        actions, poll = self._descriptors()
        while not (self._is_deserted or self._is_to_end):
            if has_made_mounts(self._first_process()):
                self._fault = make_mounts(self._first_process(), self._job.late)
                if self._fault:
                    self._end()
                else:
                    os.write(self._go, b"+")
                return
            for descriptor, _ in poll.poll(MOUNT_PAUSE_MS):
                actions[descriptor]()

    def _descriptors(self) -> tuple[dict[int, Callable[[], None]], select.poll]:
        """Action for each readable descriptor, and a poll of all descriptors."""
        actions: dict[int, Callable[[], None]] = {self._channel.fileno(): self._end, self._wake: self._reap}
        poll = select.poll()
        for descriptor in actions:
            poll.register(descriptor, select.POLLIN)
        return actions, poll

    def _attend(self) -> None:
        """Wait until no child is left, or until the time of the kill."""
        assert self._bounds is not None
        actions, poll = self._descriptors()
        while not (self._is_deserted or self._is_to_end):
            pause_ms = self._bounds.pause_ms()
            ready = poll.poll(pause_ms if self._has_given_way else min(pause_ms, round(1000 * GIVE_WAY_S)))
            for descriptor, _ in ready:
                actions[descriptor]()
            self._look()

    def _look(self) -> None:
        assert self._bounds is not None
        if self._status is None:
            self._exceeded = self._bounds.look(self._first_process())
            if self._exceeded:
                self._end()
        if not self._has_given_way and time.monotonic() - self._began >= GIVE_WAY_S:
            self._give_way()
        if self._has_given_way and not self._is_calm:
            self._is_calm = self._calm_session()

    def _go_first(self) -> None:
        """Keep a better priority than a multiplying command, if only this process restrains the command."""
        if self._holds_back:
            try:
                os.setpriority(os.PRIO_PROCESS, 0, _BEST_PRIORITY)
            except PermissionError:  # root, but not of the whole machine
                self._give_way()

    def _give_way(self) -> None:
        """Have all of the command give way to other commands, with all threads and however they multiply."""
        self._has_given_way = True
        if self._group is not None:
            self._group.set_share(CPU_SHARE)
        priority = min(_LEAST_PRIORITY, self._priority + self._job.nice)
        groups = {-1}
        while groups and not self._is_to_end:
            groups = {group for group in _groups(descendants(os.getpid())) if _priority(group) < priority}
            for group in groups:
                with suppress(ProcessLookupError):
                    os.setpriority(os.PRIO_PGRP, group, priority)
            if self._holds_back and self._bounds is not None:
                self._exceeded = self._exceeded or self._bounds.look(0)
                self._is_to_end |= bool(self._exceeded)
        os.setpriority(os.PRIO_PROCESS, 0, self._priority)

    def _calm_session(self) -> bool:
        """Have the command's session give way: between sessions the niceness of processes may have no effect.

        Returns:
            False if the next look must try again: the kernel takes ten such writes a second, from all users together.
        """
        for pid in descendants(os.getpid()) - {self._main}:
            try:
                with open(f"/proc/{pid}/autogroup", "w") as file:  # noqa: PTH123
                    file.write(str(self._job.nice))
            except BlockingIOError:
                return False
            except OSError:  # it has ended, or is bubblewrap, whose files are root's; or there are no such groups
                continue
            return True
        return True

    def _end(self) -> None:
        self._is_to_end = True

    def _note(self, number: int, _frame: object) -> None:
        if number == signal.SIGALRM:
            self._end()

    def _reap(self) -> None:
        """Reap ended children; at the end of the command itself, all other processes have a moment left."""
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

    def _kill_all(self) -> None:
        """Kill all remaining processes and wait for their death."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        self._reap()
        while not self._is_deserted:
            self._kill()
            poll.poll(KILL_PAUSE_MS)
            self._reap()

    def _kill(self) -> None:
        """Kill bubblewrap and then the first process of its namespace; all other processes end with the latter."""
        main = self._main if self._status is None else 0
        for pid in kill_order(main, self._first_process(), descendants(os.getpid())):
            with suppress(ProcessLookupError, PermissionError):
                if os.geteuid() == 0:  # dying takes processor time, too, of which they were to have little
                    os.setpriority(os.PRIO_PROCESS, pid, _BEST_PRIORITY)
                os.kill(pid, signal.SIGKILL)

    def _first_process(self) -> int:
        """Number of the first process of the command's namespace; 0 as long as bubblewrap has not told."""
        if not self._first and (match := _FIRST.search(self._read_told())):
            self._first = int(match[1])
        return self._first

    def _read_told(self) -> bytes:
        """All reports of bubblewrap until now."""
        with suppress(BlockingIOError):
            self._words += os.read(self._report, 65536)
        return self._words

    def _ending(self) -> Ending:
        if self._fault:
            return Ending(fault=self._fault)
        exit_code = None if self._status is None else os.waitstatus_to_exitcode(self._status)
        if exit_code is not None and not self._is_to_end and not self._has_run():
            return Ending(fault=f"bubblewrap ended with {exit_code} before the command had begun")
        return Ending(exit_code=None if self._exceeded else exit_code, exceeded=self._exceeded)

    def _has_run(self) -> bool:
        """True if bubblewrap has reported the command's end, possible only after a start."""
        return b'"exit-code"' in self._read_told()


def kill_order(main: int, first: int, family: Collection[int]) -> list[int]:
    """Processes to kill, in order: bubblewrap first, and the whole family after bubblewrap's end.

    If the first process of the namespace died first, bubblewrap might yet end by itself, with exit code 137 for its
    child.

    Args:
        main: Bubblewrap; 0 after the end.
        first: First process of the namespace; 0 while unknown.
        family: All running processes.
    """
    doomed = [main] if main else list(family)
    return [*doomed, first] if first in family else doomed


@cache
def _stay_inside() -> None:
    """Restrict this process and all future commands, only once."""
    scope.stay_inside()


def _groups(pids: Iterable[int]) -> set[int]:
    """Process groups of the living among `pids`."""
    groups = set()
    for pid in pids:
        with suppress(ProcessLookupError):
            groups.add(os.getpgid(pid))
    return groups


def _priority(group: int) -> int:
    """Best priority in a process group; the worst possible if the group is empty."""
    try:
        return os.getpriority(os.PRIO_PGRP, group)
    except ProcessLookupError:
        return _LEAST_PRIORITY


def _receive_job(channel: socket.socket) -> Job | None:
    """Job from the channel; None if the agent has withdrawn the order."""
    header = _exactly(channel, HEADER.size)
    if not header:
        return None
    body_bytes, stdin_bytes = HEADER.unpack(header)
    body, stdin = _exactly(channel, body_bytes), _exactly(channel, stdin_bytes)
    return Job.decode(body, stdin) if body and len(stdin) == stdin_bytes else None


def _exactly(channel: socket.socket, size: int) -> bytes:
    """Next `size` bytes; empty if the channel ends before."""
    pieces = bytearray()
    while len(pieces) < size:
        piece = channel.recv(size - len(pieces))
        if not piece:
            return b""
        pieces += piece
    return bytes(pieces)
