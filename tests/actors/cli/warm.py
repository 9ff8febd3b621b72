"""Commands without their half second of imports: each is a fork of a process that has imported what agents consist of.

A command gets its own folder, environment, arguments and streams, runs from its first line to the interpreter's end, and
is waited for, as one that is started. Commands that a shell starts (`start`), and `bin/` in `tests/launch`, cover the steps
before the first line.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

PROGRAM = "import sys; from tests.actors.cli.warm import next_command; next_command(int(sys.argv[1]))()"
LONGEST = 1 << 20
"""Bytes of a call."""


class WarmProcess:
    """Process that commands are forked from."""

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

    def fork(self, call: Sequence[object], streams: Sequence[int]) -> tuple[int, socket.socket]:
        """Fork a command.

        Args:
            call: Program, arguments, folder, environment, and if it begins a session of its own.
            streams: Its stdin, stdout and stderr.

        Returns:
            Its process id, and a socket that brings its exit code as a line once it has ended.
        """
        answers, theirs = socket.socketpair()
        with theirs, self._calling:
            socket.send_fds(self._calls, [json.dumps(call).encode()], [*streams, theirs.fileno()])
        return _read_number(answers), answers

    def end(self) -> None:
        """End the process; it has no commands any more."""
        self._calls.close()
        self._process.wait()


class ForkedCommand(subprocess.Popen[Any]):
    """Command that a warm process forks and waits for, used like any other `Popen`.

    What CPython's `Popen` calls to start a child and to wait for it is done by the warm process.
    """

    def __init__(self, warm: WarmProcess, program: str, *arguments: str, **options: Any) -> None:
        """Fork the command.

        Args:
            warm: Process to fork.
            program: Name of a command of `lab.commands`.
            arguments: Arguments of the command.
            options: Options of `Popen`, with `cwd` and `env`.
        """
        self._warm = warm
        super().__init__([program, *arguments], **options)

    def _execute_child(self, args: list[str], *options: Any) -> None:
        cwd, env, ends, new_session = options[4], options[5], options[9:15], options[20]
        streams = [number if end == -1 else end for number, end in enumerate((ends[0], ends[3], ends[5]))]
        self.pid, self._answers = self._warm.fork([args[0], args[1:], str(cwd), dict(env), new_session], streams)
        self._child_created = True
        self._close_pipe_fds(*ends)  # type: ignore[attr-defined]

    def _internal_poll(self, **_options: object) -> int | None:
        """Exit code; None for a running command."""
        if self.returncode is None and select.select([self._answers], [], [], 0)[0]:
            self._wait()
        return self.returncode

    def _wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = _read_number(self._answers)
            self._answers.close()
        return self.returncode


def _read_number(answers: socket.socket) -> int:
    """Read one line, and no byte behind the line."""
    line = b""
    while not line.endswith(b"\n"):
        if not (byte := answers.recv(1)):
            raise RuntimeError("the process that commands are forked from has ended")
        line += byte
    return int(line)


def next_command(calls_fd: int) -> Callable[[], None]:
    """Command to run, in the fork that runs the command; the warm process serves until the last caller has gone."""
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
            call, passed, _, _ = socket.recv_fds(calls, LONGEST, 4)
            if not call:
                os._exit(0)
            *streams, answers = passed
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


def _command(call: tuple[str, list[str], str, dict[str, str], bool], fds: list[int]) -> Callable[[], None]:
    import lab.commands

    program, arguments, folder, environment, new_session = call
    if new_session:
        os.setsid()
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
    """Import what every agent and the page of `agent try` import, as long as nothing of it starts a thread.

    A fork's garbage collections, the interpreter's last among them, skip the modules, and so copy no page.
    """
    import actors.bootstrap
    import actors.cli.run
    import actors.context.actor
    import actors.discord.actor
    import actors.discord.outgoing.once
    import actors.embedder.actor
    import actors.embedder.providers
    import actors.feed.actor
    import actors.forget.actor
    import actors.importer.actor
    import actors.ledger.actor
    import actors.log_lines.json_lines
    import actors.memory.actor
    import actors.model.actor
    import actors.scheduler.actor
    import actors.settings.load
    import actors.shell.actor
    import actors.skills.actor
    import actors.socket.actor
    import actors.web.actor  # noqa: F401
    import lab.commands
    import lab.playground.server  # noqa: F401

    gc.collect()
    gc.freeze()
