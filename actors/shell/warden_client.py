"""Client of the warden, the small process that starts commands: the agent holds a socket for each, and no process."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import actors
from actors.shell.job import THREADS, Ending, Job
from actors.shell.output_pipe import OutputPipe
from actors.shell.process import DEATH_S
from actors.shell.refused import RefusedError

log = logging.getLogger(__name__)

_START = "import sys; sys.path.append(sys.argv[2]); from actors.shell.sandbox.watcher.warden import main; main()"
_PACKAGES = str(Path(actors.__file__).parents[1])
_END_S = 2.0
_READ_BYTES = 64 * 1024
ORPHANS_S = 0.25
"""Seconds to wait for orphans to die after SIGKILL, when no supervisor is left to see their end."""


class WardenClient:
    """Client of the small process that starts commands; starts the process at first need and after each death.

    All methods are for the thread of the event loop, except `close`.
    """

    def __init__(self, *, may_group: bool = True) -> None:
        """Begin without a process.

        Args:
            may_group: True to bound commands by control groups, if available.
        """
        self._may_group = may_group
        self._orders: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self, job: Job) -> WardedProcess:
        """Start a command.

        Raises:
            RefusedError: no warden can start the command.
        """
        is_sent = False
        try:
            output, ours, theirs = _channels()
        except OSError as error:
            raise RefusedError(f"The sandbox cannot be started: {error}") from error
        try:
            self._order(theirs.fileno(), output.writing_end)
            ours.setblocking(False)
            await asyncio.get_running_loop().sock_sendall(ours, job.encode())
            is_sent = True
        except OSError as error:
            raise RefusedError(f"The sandbox cannot be started: {error}") from error
        finally:
            theirs.close()
            if not is_sent:
                ours.close()
                output.close()
        output.close_writing_end()
        return WardedProcess(ours, output)

    @property
    def pid(self) -> int | None:
        """Process id of the warden; None before the first command."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """Release the warden; running commands are killed when their own sockets close."""
        orders, self._orders = self._orders, None
        process, self._process = self._process, None
        if orders is not None:
            orders.close()
        if process is not None:
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                log.warning("the process that starts commands does not end by itself")
                process.kill()
                process.wait()

    def _order(self, channel: int, output: int) -> None:
        for is_last in (False, True):
            if self._process is None or self._process.poll() is not None:
                self.close()
                self._begin()
            assert self._orders is not None
            try:
                socket.send_fds(self._orders, [b"+"], [channel, output])
            except OSError:
                log.warning("the process that starts commands has died; it is started again")
                self.close()
                if is_last:
                    raise
            else:
                return

    def _begin(self) -> None:
        """Start the warden without the agent's environment, and only with modules of our own and Python's."""
        threads = str(THREADS if self._may_group else 0)
        self._orders, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _START, str(theirs.fileno()), _PACKAGES, threads],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},
                start_new_session=True,
                pass_fds=(theirs.fileno(),),
            )


def _channels() -> tuple[OutputPipe, socket.socket, socket.socket]:
    """Pipe for the output of a command, and both ends of its socket; either all or an error.

    Raises:
        OSError: for example, no more files may be open.
    """
    output = OutputPipe()
    try:
        ours, theirs = socket.socketpair()
    except OSError:
        output.close()
        raise
    return output, ours, theirs


class WardedProcess:
    """Handle of a command that the warden runs; closing its socket kills the command."""

    def __init__(self, channel: socket.socket, output: OutputPipe) -> None:
        self._loop = asyncio.get_running_loop()
        self._channel = channel
        self._output = output
        self._report = bytearray()
        self.exited: asyncio.Future[None] = self._loop.create_future()
        """Done when no process of the command is alive."""
        self.ending = Ending()
        self._loop.add_reader(channel, self._receive)

    async def read(self, take: Callable[[bytes], None]) -> None:
        """Give all output to `take`, until every possible writer has closed the pipe."""
        await self._output.read(take)

    async def kill(self) -> None:
        """Kill all processes of the command and wait for their death, for at most a little over 1 s."""
        with suppress(OSError):  # it has ended already
            self._channel.shutdown(socket.SHUT_WR)
        await asyncio.wait({self.exited}, timeout=DEATH_S)

    def close(self) -> None:
        """Kill remaining processes and release all resources; a second call has no effect."""
        if self._channel.fileno() >= 0:
            if not self.exited.done():
                log.warning("the end of a killed command was not reported in time; its supervisor goes on killing it")
            self._loop.remove_reader(self._channel)
            self.exited.cancel()
            self._channel.close()
        self._output.close()

    def _receive(self) -> None:
        try:
            piece = self._channel.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if piece:
            self._report += piece
            return
        self._loop.remove_reader(self._channel)
        if self._report:
            self.ending = Ending.decode(bytes(self._report))
            self._note_end()
        else:
            # Without a word: whoever looked after the command was killed. bubblewrap, which had this channel open as
            # well, is dead, and with it the first process of the namespace; the others have been sent their SIGKILL.
            self.ending = Ending(exit_code=-signal.SIGKILL)
            self._loop.call_later(ORPHANS_S, self._note_end)

    def _note_end(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)
