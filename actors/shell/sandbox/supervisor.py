"""The process beside every command that outlives it, so that nothing which the command started does."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import socket
from collections.abc import Callable
from contextlib import suppress

from actors.shell.sandbox import landlock, syscall
from actors.shell.sandbox.broker import Broker
from actors.shell.sandbox.confinement import CANNOT_START, become
from actors.shell.sandbox.job import HEADER, Ending, Job, receive

LAST_WORDS_S = 0.2
"""How long children may go on after bash has ended (as in `make > >(tee log)`) before they are killed."""
KILL_PAUSE_MS = 10
COUNT_PAUSE_MS = 20
_FREE_NUMBERS = 64
"""Descriptors that the child must find where they are have numbers from here on."""


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
        channel: Brings the job; its end, at any time, is the order to kill. Takes the ending.
        output: Where the command writes.
    """
    job = _received(channel)
    if job is None:
        return
    ending = Supervisor(job, channel, wake).run(output)
    if job.scratch:
        _remove(job.scratch)
    with suppress(OSError):  # nobody wants to know any more
        channel.sendall(ending.encode())
        channel.shutdown(socket.SHUT_RDWR)  # this process takes a while to end


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
        self._fault = ""
        self._threads_before = _all_threads()
        self._broker: Broker | None = None
        self._reaches_only_its_own = False

    def run(self, output: int) -> Ending:
        """From the start to the last process's end."""
        if self._job.landlock is not None:
            landlock.keep_signals_inside()
            self._reaches_only_its_own = True
        for number in (signal.SIGCHLD, signal.SIGALRM):
            signal.signal(number, self._note)
        told, status = os.pipe()
        ours, theirs = socket.socketpair()
        self._fork(output, status, theirs)
        for descriptor in (output, status):
            os.close(descriptor)
        theirs.close()
        self._attend(ours)
        self._kill_all()
        return self._ending(told)

    def _fork(self, output: int, status: int, link: socket.socket) -> None:
        high = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _FREE_NUMBERS) for number in (output, status, link.fileno())]
        self._main = os.fork()
        if self._main == 0:
            become(self._job, high[0], high[1], socket.socket(fileno=high[2]))
            os._exit(CANNOT_START)
        for number in high:
            os.close(number)

    def _attend(self, link: socket.socket) -> None:
        """Until no child is left, or it is time to kill them."""
        actions: dict[int, Callable[[], None]] = {
            self._channel.fileno(): self._end,
            self._wake: self._reap,
            link.fileno(): lambda: self._hear(link, poll, actions),
        }
        poll = select.poll()
        for descriptor in actions:
            poll.register(descriptor, select.POLLIN)
        pause = COUNT_PAUSE_MS if self._job.most_processes else None
        while not (self._is_deserted or self._is_to_end):
            for descriptor, _ in poll.poll(pause):
                if descriptor in actions:
                    actions[descriptor]()
            if pause is not None:
                self._count()
        if link.fileno() in actions and self._is_deserted:
            self._hear(link, poll, actions)

    def _hear(self, link: socket.socket, poll: select.poll, actions: dict[int, Callable[[], None]]) -> None:
        """Take what the child says before it is the command."""
        word, listeners = receive(link, 4096)
        if word.startswith(b"F"):
            self._fault = word[1:].decode()
        elif listeners:
            self._broker = Broker(listeners[0], (self._job.landlock or {}).get("own", ()), self._job.door)
            actions[listeners[0]] = self._broker.answer
            poll.register(listeners[0], select.POLLIN)
        else:
            poll.unregister(link)
            del actions[link.fileno()]

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
            with suppress(ProcessLookupError):
                os.kill(self._main, signal.SIGKILL)  # bubblewrap, with which its namespace ends
        else:
            _each(descendants(os.getpid()), lambda pid: os.kill(pid, signal.SIGKILL))
        if os.geteuid() == 0:  # dying takes processor time, too, of which they were to have little
            _each(descendants(os.getpid()), lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 0))

    def _ending(self, told: int) -> Ending:
        if self._fault:
            return Ending(fault=self._fault)
        exit_code = None if self._status is None else os.waitstatus_to_exitcode(self._status)
        if self._job.reports_status and exit_code is not None and not self._is_to_end and not _has_run(told):
            return Ending(fault=f"bubblewrap ended with {exit_code} before the command had begun")
        return Ending(exit_code=None if self._too_many else exit_code, too_many=self._too_many)


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
    found: set[int] = set()
    generation = children.get(ancestor, [])
    while generation:
        found.update(generation)
        generation = [child for parent in generation for child in children.get(parent, [])]
    return found


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


def _has_run(told: int) -> bool:
    """Whether bubblewrap has told of the command's end, which it does only if there was a beginning."""
    os.set_blocking(told, False)
    try:
        documents = os.read(told, 65536)
    except BlockingIOError:
        return False
    return any("exit-code" in json.loads(line) for line in documents.splitlines() if line.strip())


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
