"""Process of the bot of `agent try`: started beside the page, and restarted after a kill."""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import actors
from actors.cli.common import announce
from actors.kernel import SystemClock

START = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from actors.cli.trying.child import child; child()"
)
"""A terminal sends Ctrl-C to both processes: until the bot handles the signal, the parent does and closes the bot's
stdin."""
ESCALATED = 70
"""Exit code with which the agent asks for a restart."""
SIGNAL_LOOK_S = 0.25
"""Seconds between looks for signals: a signal handed to another thread wakes no thread, and only the main thread runs
its handler."""
STOP_S = 12.0
"""Seconds for an orderly end; then the bot is killed."""
MOST_DEATHS = 3
WITHIN_S = 10.0
"""Of so many deaths within so long, the next start is put off."""
PUT_OFF_S = 5.0


class BotProcess:
    """The bot, restarted soon after a kill; ended in good order by `stop`, or at the end of this process."""

    def __init__(self, environment: Mapping[str, str], on_online: Callable[[str], None], start: str = START) -> None:
        """Start a process, ready for an order once the imports are done.

        Args:
            environment: Environment of the process; has the provider's keys.
            on_online: Called from another thread with the bot's name whenever the bot comes online.
            start: Python program of the process.
        """
        self._environment = {**environment, "PYTHONPATH": str(Path(actors.__file__).parents[1])}
        self._on_online = on_online
        self._start = start
        self._now = SystemClock().monotonic
        self._order = b""
        self._lock = threading.Lock()
        self._is_ending = threading.Event()
        self._over = threading.Event()
        self._deaths: deque[float] = deque(maxlen=MOST_DEATHS)
        self._wishes: queue.SimpleQueue[None] = queue.SimpleQueue()
        """Requests of signal handlers, written without a lock. Unlike an Event's, its `put` may interrupt itself."""
        self._process = self._launch()
        self.exit_code = 0
        self.complaint = ""
        """Reason for giving up; empty while working."""
        self.starts = 1

    def go(self, order: Mapping[str, Any]) -> None:
        """Send the bot its order, now and after each death; from now on the process is watched."""
        self._order = json.dumps(order).encode() + b"\n"
        self._tell(self._process)
        threading.Thread(target=self._watch, name="bot", daemon=True).start()
        threading.Thread(target=self._heed, name="bot-end", daemon=True).start()

    def kill(self) -> None:
        """Kill the process as `kill -9` does."""
        with self._lock:
            self._process.send_signal(signal.SIGKILL)

    def end_soon(self) -> None:
        """As `end`; may be called by a handler of signals, in the midst of another."""
        self._wishes.put(None)

    def end(self) -> None:
        """End the bot in good order; returns at once."""
        self._is_ending.set()
        with self._lock:
            _close(self._process.stdin)

    def give_up(self, complaint: str) -> None:
        """End the bot, since it cannot work."""
        self.complaint = complaint
        self.end()

    @property
    def is_over(self) -> bool:
        """True if the bot has ended and is not started again."""
        return self._over.is_set()

    def wait(self) -> int:
        """Exit code of the bot, once it has ended for good."""
        while not self._over.wait(SIGNAL_LOOK_S):
            continue
        return self.exit_code

    def stop(self) -> None:
        """End the bot, and wait until the process is gone."""
        self.end()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _launch(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", self._start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environment,
        )

    def _tell(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(self._order)
            process.stdin.flush()
        except (BrokenPipeError, ValueError):  # it died before; whoever watches it sees that
            return

    def _heed(self) -> None:
        self._wishes.get()
        self.end()

    def _watch(self) -> None:
        """Read the bot's reports, and restart the bot after each death while wanted."""
        while True:
            process = self._process
            assert process.stdout is not None
            for line in process.stdout:
                self._hear(line)
            code = process.wait()
            died = code < 0 or code == ESCALATED
            if self._is_ending.is_set() or not died:
                self.exit_code = 0 if self._is_ending.is_set() and died else code
                self._over.set()
                return
            self._start_again(code)

    def _hear(self, line: bytes) -> None:
        """Handle a line of the bot's stdout; a foreign line, as some libraries print, is passed on."""
        try:
            name = str(json.loads(line)["online"])
        except (ValueError, TypeError, KeyError):
            announce(line.decode(errors="replace").rstrip("\n"))
        else:
            self._on_online(name)

    def _start_again(self, code: int) -> None:
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        self._deaths.append(self._now())
        is_put_off = len(self._deaths) == MOST_DEATHS and self._deaths[-1] - self._deaths[0] < WITHIN_S
        when = (
            f"in {PUT_OFF_S:g} s, since it died {MOST_DEATHS} times within {WITHIN_S:g} s" if is_put_off else "at once"
        )
        announce(f"note: the bot died ({how}); it is started again {when}", logging.WARNING)
        if is_put_off:
            self._is_ending.wait(PUT_OFF_S)
        with self._lock:
            for pipe in (self._process.stdin, self._process.stdout):
                _close(pipe)
            self._process = self._launch()
            self.starts += 1
        if self._is_ending.is_set():
            self.end()
        self._tell(self._process)


def _close(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        with suppress(BrokenPipeError):  # it died before it had read its order, which is given up with it
            pipe.close()


def environment_of_bot() -> Mapping[str, str]:
    """Environment inherited by the bot: this command's environment, with the secrets."""
    return dict(os.environ)
