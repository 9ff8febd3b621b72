"""Nursery of agents: starts, kills and buries agents through a program of its own."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from actors.kernel import SystemClock
from lab.load.agent_process import environment

PROGRAM = "from lab.chaos.kills.program import serve; serve()"
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""Environment to keep numpy's library from starting threads at import."""
BURIAL_S = 600.0
"""Longest end of a killed process, on a machine with much else to do."""


@dataclass(frozen=True, slots=True)
class Burial:
    """End of an agent."""

    code: int
    """Exit code; negative for a signal."""
    left: tuple[str, ...]
    """Command lines of processes still alive after the agent."""


class LivingAgent:
    """Running agent; any thread may kill the agent."""

    def __init__(self, pid: int) -> None:
        """Hold on to the process.

        Args:
            pid: Process that is not yet waited for, so the id is not reused.
        """
        self.pid = pid
        self._now = SystemClock().monotonic
        self._fd = os.pidfd_open(pid)
        self._lock = threading.Lock()
        self._started_at = self._now()
        self.killed_at_s: float | None = None
        """Seconds from the start to the SIGKILL."""
        self.over = threading.Event()
        """Set by the SIGKILL, or at the burial."""

    def kill(self) -> None:
        """SIGKILL, once."""
        with self._lock:
            if self.killed_at_s is None:
                self._send(signal.SIGKILL)
                self.killed_at_s = self._now() - self._started_at
        self.over.set()

    def terminate(self) -> None:
        """SIGTERM."""
        self._send(signal.SIGTERM)

    def has_ended(self, timeout_s: float = 0.0) -> bool:
        """True if the process ends within `timeout_s` seconds."""
        return bool(select.select([self._fd], [], [], timeout_s)[0])

    def close(self) -> None:
        """Release the dead process."""
        os.close(self._fd)

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._fd, number)


class Nursery:
    """Starter of agents; also a context manager, used by one thread."""

    def __init__(self, program: str = PROGRAM, *, scratch: Path | None = None) -> None:
        """Start the program, with warm-up in the background; agents have their tokens from files of secrets.

        Args:
            scratch: Folder for agents' temporary files, some of them left by killed agents; else the usual place.
            program: Python that serves the commands of `program.py`.
        """
        self.cpu_s = 0.0
        """CPU of the program and of all buried agents, at the last burial."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            env=environment(os.environ, "") | _ONE_THREAD | ({"TMPDIR": str(scratch)} if scratch is not None else {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def start(self, config: Path, stderr: Path, *, is_cold: bool = False) -> LivingAgent:
        """Start a new agent with the settings of `config`.

        Args:
            config: An `agent.toml`.
            stderr: File to which the agent's stderr is appended.
            is_cold: True to start a new interpreter, as an operator does; False to fork a warm process.
        """
        answer = self._ask(start={"config": str(config), "stderr": str(stderr), "is_cold": is_cold})
        return LivingAgent(answer["pid"])

    def bury(self, agent: LivingAgent) -> Burial:
        """Wait for the end of an ending agent, and return its remains."""
        if not agent.has_ended(BURIAL_S):
            raise TimeoutError(f"process {agent.pid} does not end")
        agent.over.set()
        answer = self._ask(bury=agent.pid)
        self.cpu_s = answer["cpu_s"]
        agent.close()
        return Burial(answer["code"], tuple(answer["left"]))

    def close(self) -> None:
        """End the program and all its children."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, **command: object) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(command) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise RuntimeError("the program that starts agents has ended")
        return json.loads(line)
