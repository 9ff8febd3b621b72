"""Commands without their half second of imports: each is a fork of a process that has imported what agents consist of.

A command gets its own folder, environment, arguments and streams, runs from its first line to the interpreter's end, and
is waited for, as one that is started. What comes before its first line is tried by those that are started: on a terminal
(`run_on_terminal`), by a shell (`start`), as whole agents (`tests/e2e/stage.py`), and by `bin/` in `tests/launch`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock

PROGRAM = "import sys; from tests.actors.cli.warm import next_command; next_command(int(sys.argv[1]))()"
LONGEST = 1 << 20
"""Bytes of a call."""


class WarmProcess:
    """The process that commands are forked from, seen by who calls them."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._calls, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._calls.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LONGEST)
        self._calling = Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, str(theirs.fileno())],
                cwd=folder,
                env={**environment, "OPENBLAS_NUM_THREADS": "1"},  # as actors.cli has it, and so no threads
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def run(
        self,
        program: str,
        arguments: Sequence[str],
        cwd: Path,
        stdin: bytes,
        environment: Mapping[str, str],
        timeout_s: float,
    ) -> tuple[int, bytes, bytes]:
        """Exit code (-n for signal n), stdout and stderr of a command.

        Raises:
            subprocess.TimeoutExpired: it took longer than that, and was killed.
        """
        call = json.dumps([program, [*arguments], str(cwd), dict(environment)]).encode()
        ends, given = _pipes(), socket.socketpair()
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = ends
        with given[0], given[1], given[0].makefile() as told:
            with self._calling:
                socket.send_fds(self._calls, [call], [read_in, write_out, write_err, given[1].fileno()])
            given[1].close()
            for fd in (read_in, write_out, write_err):
                os.close(fd)
            if not (pid := told.readline()):
                raise RuntimeError("the process that commands are forked from has ended")
            try:
                received = _exchange(write_in, stdin, (read_out, read_err), time.monotonic() + timeout_s)
            except TimeoutError:
                os.kill(int(pid), signal.SIGKILL)
                raise subprocess.TimeoutExpired([program, *arguments], timeout_s) from None
            return int(told.readline()), received[0], received[1]

    def end(self) -> None:
        """End it, which has no commands any more."""
        self._calls.close()
        self._process.wait()


def _pipes() -> tuple[tuple[int, int], ...]:
    return os.pipe(), os.pipe(), os.pipe()


def _exchange(sink: int, sent: bytes, sources: tuple[int, int], deadline: float) -> list[bytes]:
    """Give one end of a pipe all there is to give, and take from others until they are closed; closes all."""
    received = {fd: bytearray() for fd in sources}
    rest = memoryview(sent)
    with selectors.DefaultSelector() as selector:
        for fd in sources:
            selector.register(fd, selectors.EVENT_READ)
        selector.register(sink, selectors.EVENT_WRITE)
        try:
            while selector.get_map():
                if time.monotonic() > deadline:
                    raise TimeoutError
                for key, _ in selector.select(1.0):
                    if key.fd == sink:
                        with contextlib.suppress(BrokenPipeError):
                            rest = rest[os.write(sink, rest[: select.PIPE_BUF]) :] if rest else rest
                            if rest:
                                continue
                    elif chunk := os.read(key.fd, 1 << 16):
                        received[key.fd] += chunk
                        continue
                    selector.unregister(key.fd)
                    os.close(key.fd)
        finally:
            for key in list(selector.get_map().values()):
                os.close(key.fd)
    return [bytes(received[fd]) for fd in sources]


def next_command(calls_fd: int) -> Callable[[], None]:
    """What is to be run, in the fork that is to run it; the process itself serves until nobody calls any more."""
    _warm_up()
    threads = len(os.listdir("/proc/self/task")) if Path("/proc/self/task").exists() else 1  # noqa: PTH208
    if threads != 1:
        raise RuntimeError(f"{threads} threads run before the first fork: what they hold would never be let go")
    calls = socket.socket(fileno=calls_fd)
    running: dict[int, socket.socket] = {}
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready = select.select([calls, woken], [], [])[0]
        if woken in ready:
            woken.recv(1 << 16)
            _bury(running)
        if calls in ready:
            call, given, _, _ = socket.recv_fds(calls, LONGEST, 4)
            if not call:
                os._exit(0)
            *streams, answers = given
            caller = socket.socket(fileno=answers)
            if pid := os.fork():
                running[pid] = caller
                caller.sendall(b"%d\n" % pid)
                for fd in streams:
                    os.close(fd)
                continue
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for each in (calls, woken, waker, caller, *running.values()):
                each.close()
            return _command(json.loads(call), streams)


def _bury(running: dict[int, socket.socket]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with running.pop(pid) as caller, contextlib.suppress(BrokenPipeError):
            caller.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _command(call: tuple[str, list[str], str, dict[str, str]], fds: list[int]) -> Callable[[], None]:
    import lab.commands

    program, arguments, folder, environment = call
    for target, fd in enumerate(fds):
        os.dup2(fd, target)
        os.close(fd)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    sys.argv = ["-c", *arguments]
    return partial(getattr(lab.commands, program.replace("-", "_")), prog_name=program)


def _warm_up() -> None:
    """Import what an agent imports, as long as nothing of it starts a thread.

    No collection of a fork's looks at it, the interpreter's last neither: it would copy every page for that.
    """
    import actors.bootstrap
    import actors.cli.run
    import actors.context.actor
    import actors.discord.actor
    import actors.embedder.actor
    import actors.memory.actor
    import actors.model.actor
    import actors.scheduler.actor
    import actors.shell.actor
    import actors.skills.actor
    import actors.socket.actor
    import actors.web.actor  # noqa: F401

    gc.collect()
    gc.freeze()
