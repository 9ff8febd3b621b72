"""Process without a sandbox: notices the end, reads the output, kills the members of the session."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from actors.shell.job import Ending
from actors.shell.launch import Launch, start
from actors.shell.output_pipe import OutputPipe

log = logging.getLogger(__name__)

KILL_ROUNDS = 20
KILL_PAUSE_S = 0.01
DEATH_S = 1.0
"""Seconds that a killed process may take to die before it is left alone (an uninterruptible wait may take longer)."""


class Process(Protocol):
    """Running command, with any way of running."""

    exited: asyncio.Future[None]
    """Done when bash itself has ended."""

    ending: Ending
    """Ending of the closed process; the exit code is None if the process did not die."""

    async def read(self, take: Callable[[bytes], None]) -> None:
        """Give all output to `take`, until every possible writer has closed the pipe."""

    async def kill(self) -> None:
        """Kill all processes of the command and wait for their death, for at most a little over 1 s."""

    def close(self) -> None:
        """Kill remaining processes and release all resources."""


class BashProcess:
    """Process in a separate session, without any wrapper, with a pipe for its output and its children's.

    Made, used and closed on one event loop, in the loop's own thread. The thread outlives the process: a sandbox dies
    with its parent, and the parent is the thread that started the sandbox. asyncio's own subprocesses aren't used:
    their `wait` hangs while a grandchild holds the pipe.
    """

    def __init__(self, launch: Launch) -> None:
        """Start the process.

        Raises:
            RefusedError: the process cannot be started.
        """
        self._loop = asyncio.get_running_loop()
        self._output = OutputPipe()
        try:
            self._process = start(launch, self._output.writing_end)
        except BaseException:
            self._output.close()
            raise
        self._output.close_writing_end()
        self.exited: asyncio.Future[None] = self._loop.create_future()
        """Done when bash itself has ended, though children may live. bash isn't reaped yet, so its number stays taken.
        """
        self.ending = Ending()
        self._is_cleared = False
        self._is_closed = False
        self._stop_watching = watch_exit(self._process.pid, self._loop, self._note_exit)

    async def read(self, take: Callable[[bytes], None]) -> None:
        """Give all output to `take`, until every possible writer has closed the pipe."""
        await self._output.read(take)

    async def kill(self) -> None:
        """Kill bash and the rest of its session, and wait for their death, for at most a little over 1 s.

        A process with a session of its own (`setsid`) is out of reach; only a sandbox with process numbers of its
        own can hold such a process.
        """
        for _ in range(KILL_ROUNDS):
            if not self._kill_session():
                self._is_cleared = True
                break
            await asyncio.sleep(KILL_PAUSE_S)
        await asyncio.wait({self.exited}, timeout=DEATH_S)

    def close(self) -> None:
        """Kill remaining processes and release all resources; a second call has no effect."""
        if self._is_closed:
            return
        self._is_closed = True
        if not self._is_cleared:
            self._kill_session()
        self._stop_watching()
        self.exited.cancel()
        self._output.close()
        exit_code = self._process.poll()
        if exit_code is None:
            log.warning("process %d does not die of SIGKILL; left behind", self._process.pid)
            threading.Thread(target=self._process.wait, name="shell-reaper", daemon=True).start()
        self.ending = Ending(exit_code=exit_code)

    def _note_exit(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)

    def _kill_session(self) -> bool:
        """Send SIGKILL to every process group of the session; False if there was no process to kill.

        A signal to a group reaches all members at once, so a process that forks meanwhile cannot escape. Bash itself is
        not reaped yet, so the number still names bash's own group.
        """
        groups = {group for _, group in living_members(self._process.pid)}
        for group in {self._process.pid, *groups}:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                continue
            except PermissionError:
                log.warning("process group %d belongs to another user and cannot be killed", group)
        return bool(groups) or not self.exited.done()


def watch_exit(pid: int, loop: asyncio.AbstractEventLoop, note: Callable[[], None]) -> Callable[[], None]:
    """Have `note` called on `loop` when child `pid` ends, without reaping the child.

    Returns:
        Function to stop watching.
    """
    try:
        pidfd = os.pidfd_open(pid)
    except (AttributeError, OSError):  # no Linux, a kernel before 5.3, or a container that forbids it
        return watch_exit_in_thread(pid, loop, note)
    loop.add_reader(pidfd, _once(loop, pidfd, note))

    def stop() -> None:
        loop.remove_reader(pidfd)
        os.close(pidfd)

    return stop


def watch_exit_in_thread(pid: int, loop: asyncio.AbstractEventLoop, note: Callable[[], None]) -> Callable[[], None]:
    """Equivalent of `watch_exit`, with a waiting thread."""
    watching = threading.Event()
    watching.set()

    def wait() -> None:
        try:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            log.debug("process %d was reaped before its end was seen", pid)
        finally:  # whatever became of the wait: nobody else would ever say that the command is over
            if watching.is_set() and not loop.is_closed():
                loop.call_soon_threadsafe(note)

    threading.Thread(target=wait, name=f"shell-wait-{pid}", daemon=True).start()
    return watching.clear


def living_members(session: int) -> list[tuple[int, int]]:
    """Process number and group of everyone alive in `session`, as far as /proc shows; zombies are not alive."""
    members = []
    for entry in _process_numbers():
        try:
            if os.getsid(entry) == session and _is_alive(entry):
                members.append((entry, os.getpgid(entry)))
        except (ProcessLookupError, PermissionError):
            continue
    return members


def _process_numbers() -> list[int]:
    try:
        with os.scandir("/proc") as entries:
            return [int(entry.name) for entry in entries if entry.name.isdecimal()]
    except FileNotFoundError:
        return []


def _is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
    # The name before the last ")" may hold anything.
    return stat.rpartition(b")")[2].split()[0] not in (b"Z", b"X")


def _once(loop: asyncio.AbstractEventLoop, fd: int, note: Callable[[], None]) -> Callable[[], None]:
    """`note`, after which the loop stops looking at `fd`, since `fd` stays readable for ever."""

    def ready() -> None:
        loop.remove_reader(fd)
        note()

    return ready
