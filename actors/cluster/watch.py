"""Watch of the hosts' runner: another host replaces a dead host, but a dead runner is not replaced.

A watch is looked at once a second and never waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Protocol

LOOKS = 60
"""Looks, a second apart, at a call that does not come back: as long as Ray itself waits for a cluster's own restart."""


class Watch(Protocol):
    """Watch of the hosts' runner, checked by the head."""

    def trouble(self) -> str:
        """Why no host can be started any more; empty while all is there."""


class Process(Protocol):
    """A child of this process, such as `subprocess.Popen`."""

    pid: int

    def poll(self) -> int | None:
        """Exit status of the process; None while running."""


class ProcessWatch:
    """Watch of children by their exit status."""

    def __init__(self, processes: Mapping[str, Process]) -> None:
        """Watch running child processes.

        Args:
            processes: Processes by name.
        """
        self._processes = processes

    def trouble(self) -> str:
        """Name and end of a process that has ended; empty while all run."""
        for name, process in self._processes.items():
            if (status := process.poll()) is not None:
                how = f"was ended by signal {-status}" if status < 0 else f"ended with exit code {status}"
                return f"Ray's {name} (process {process.pid}) {how}"
        return ""


class CallWatch:
    """Watch of a remote service by a call, in its own thread and one at a time."""

    def __init__(self, call: Callable[[], str], looks: int = LOOKS) -> None:
        """Watch a service, taken to have answered just now.

        Args:
            call: Returns the trouble, empty if all is well; may hang for ever, and an exception is no answer.
            looks: Number of successive looks without an answer that count as trouble.
        """
        self._call, self._looks = call, looks
        self._unanswered = 0
        self._answer = ""
        self._why = ""
        self._is_under_way = threading.Lock()

    @property
    def is_waiting(self) -> bool:
        """True while a call is under way, or after a call without an answer."""
        return bool(self._unanswered) or self._is_under_way.locked()

    def trouble(self) -> str:
        """Trouble reported by the service, or the service's silence; begins the next call."""
        if self._answer:
            return self._answer
        if self._unanswered >= self._looks:
            return f"the Ray cluster has not answered for {self._looks} s{self._why}"
        self._unanswered += 1
        if self._is_under_way.acquire(blocking=False):
            try:
                threading.Thread(target=self._ask, name="cluster heartbeat", daemon=True).start()
            except RuntimeError as error:  # the machine gives no more threads: this look found no answer, that is all
                self._why = f": {error}"
                self._is_under_way.release()
        return ""

    def _ask(self) -> None:
        try:
            self._answer = self._call()
            self._unanswered = 0
            self._why = ""
        except Exception as error:  # noqa: BLE001 - whatever Ray raises: it is told when it lasts
            self._why = f": {error}"
        finally:
            self._is_under_way.release()
