"""Subprocess of the agent, started as by an operator, or of the floor, and its cost."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

import actors
from lab.load.meter import ProcessGroup, Usage

_CHECKOUT = Path(actors.__file__).parents[1]
_BOUND = "from actors.linux.processes import die_with_parent; die_with_parent({parent}); "
_START = "from actors.cli import agent; agent(prog_name='agent')"
_START_FLOOR = "from lab.load.floor import main; main()"
_FLOOR_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
    "AIOHTTP_CONNECTOR_LIMIT": "10000",
    "AIOHTTP_CONNECTOR_LIMIT_PER_HOST": "10000",
}
"""Environment like the agent's own: no downloads, no `.env` file, and room for a call of every thread."""
_MARK = "REMEMBRANCER_LOAD"
_RECORD = re.compile(r"[-0-9]{10} [:,0-9]{12} (?P<level>[A-Z]+) (?P<name>[\w.]+): (?P<text>.*)")
_SUPERVISOR = "actors.kernel.supervisor"
_NOT_INHERITED = re.compile(r"AGENT_.*|.*_API_KEY|.*_TOKEN|.*_PROXY", re.IGNORECASE)
"""Variables of an operator for the real agent: settings, real keys, a proxy before loopback."""
_TRACEBACK = "Traceback (most recent call last):"
_TRACEBACK_LINES = 500
_LAST_LINES = 15
_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Complaints:
    """Digest of the agent's stderr."""

    restarts: int
    """Crashes of actors reported by their supervisor; each is followed by a restart or the end."""
    errors: int
    """Other records of level ERROR and above."""
    warnings: int
    end: str
    """The last lines."""
    samples: tuple[str, ...]
    """First few crashes and errors, as logged, with the end of an error's traceback."""


@contextlib.contextmanager
def defer_termination() -> Iterator[None]:
    """Handle a SIGTERM when this is over: in the midst of a start the signal would leave an unknown process.

    The signal is not masked, since the started process would inherit the mask.
    """
    if threading.current_thread() is not threading.main_thread():  # signals are handled there
        yield
        return
    signals: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _frame: signals.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)
        if signals:
            signal.raise_signal(signal.SIGTERM)


class BotProcess:
    """Bot process with all its descendants; the bot dies with the thread that starts it."""

    def __init__(self, folder: Path, command: Sequence[str], token: str, extra_environment: Mapping[str, str]) -> None:
        """Prepare the process without starting it.

        Args:
            folder: Working directory, with the process's stderr.
            command: Code, and its arguments.
            token: Token of the bot.
            given: Further environment of the process.
        """
        self.folder = folder
        code = _BOUND.format(parent=os.getpid()) + command[0]
        self._command = [sys.executable, "-P", "-c", code, *command[1:]]
        self._stderr = folder / "agent.stderr"
        self._token = token
        self._mark = _mark_of(folder)
        self._extra_environment = {**extra_environment, _MARK: self._mark}
        self._process: subprocess.Popen[bytes] | None = None
        self._group: ProcessGroup | None = None

    def start(self) -> None:
        """Start the process; the bot comes online some time later."""
        with self._stderr.open("wb") as stderr, defer_termination():
            self._process = subprocess.Popen(
                self._command,
                env=environment(os.environ, self._token) | self._extra_environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )
        self._group = ProcessGroup(self._process.pid, f"{_MARK}={self._mark}")

    def usage(self) -> Usage | None:
        """Usage of the process and its descendants; None if the system has no figures."""
        return self._group.look() if self._group is not None else None

    @property
    def pid(self) -> int | None:
        """Process id; None before the start."""
        return self._process.pid if self._process is not None else None

    @property
    def is_running(self) -> bool:
        """True if the process has not ended."""
        return self._process is not None and self._process.poll() is None

    def wait(self, timeout_s: float) -> None:
        """Return when the process has ended by itself, or after `timeout_s` seconds."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout_s)

    def stop(self, timeout_s: float) -> int | None:
        """Ask the process to end, as a service manager does; return the exit code, None after a kill."""
        process = self._process
        if process is None:
            return None
        process.terminate()
        try:
            return process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None

    def cpu_s(self) -> float | None:
        """Seconds of CPU used by all processes so far; None if the system does not report usage."""
        usage = self.usage()
        return usage.cpu_s if usage is not None else None

    def peak_rss_mb(self) -> float:
        """Peak memory of the first process, in MiB.

        0 before the end, if the system reports only ended processes.
        """
        peak = re.search(r"^VmHWM:\s*([0-9]+) kB", self._proc("status"), re.MULTILINE)
        if peak:
            return int(peak[1]) / 1024
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit

    def complaints(self) -> Complaints:
        """Complaints of the process so far."""
        with self._stderr.open(errors="replace") as lines:
            return read_complaints(lines.read())

    def _proc(self, name: str) -> str:
        try:
            return Path(f"/proc/{self.pid}/{name}").read_text()
        except OSError:  # another system than Linux, or it has ended
            return ""


class AgentProcess(BotProcess):
    """`agent run` with settings and data of its own in `folder`."""

    def __init__(
        self,
        folder: Path,
        settings: str,
        token: str,
        options: Sequence[str] = (),
        *,
        extra_environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Write the agent's settings; no process runs yet.

        Args:
            folder: An empty folder.
            settings: The text of agent.toml; `data_root` is added.
            token: The bot's.
            options: Further options of `agent run`.
            given: Further environment.
        """
        self.data = folder / "data"
        config = folder / "agent.toml"
        config.write_text(f"data_root = {json.dumps(str(self.data))}\n{settings}")
        super().__init__(folder, [_START, "run", "--config", str(config), *options], token, extra_environment)


class FloorProcess(BotProcess):
    """The bot of `floor.py`."""

    def __init__(self, folder: Path, addresses: Mapping[str, str], token: str) -> None:
        """Begin without a running process.

        Args:
            folder: Folder of the floor's run.
            addresses: Environment for `floor.py`, apart from the token.
            token: Token of the bot.
        """
        super().__init__(folder, [_START_FLOOR], token, {**_FLOOR_ENVIRONMENT, **addresses})

    def stop(self, timeout_s: float) -> int | None:
        """Stop as any bot is stopped; 0 after death by the signal, as of a program without a handler."""
        code = super().stop(timeout_s)
        return 0 if code == -signal.SIGTERM else code


def read_complaints(stderr: str) -> Complaints:
    """Complaints in an agent's stderr."""
    crashes, errors, warnings = list[str](), list[str](), 0
    lines = stderr.splitlines()
    for number, line in enumerate(lines, 1):
        record = _RECORD.match(line)
        if record is None:
            continue
        if record["name"] == _SUPERVISOR and " crashed in " in record["text"]:
            crashes.append(line)
        elif record["level"] in ("ERROR", "CRITICAL"):
            errors.append(line + _exception_in(lines[number : number + _TRACEBACK_LINES]))
        elif record["level"] == "WARNING":
            warnings += 1
    samples = (*crashes[:_SAMPLES], *errors[:_SAMPLES])
    return Complaints(len(crashes), len(errors), warnings, "\n".join(lines[-_LAST_LINES:]), samples)


def _exception_in(lines: Sequence[str]) -> str:
    """Last line of the traceback at the beginning, after a colon; empty without a traceback."""
    if not lines or lines[0] != _TRACEBACK:
        return ""
    return next((f": {line}" for line in lines[1:] if not line.startswith(" ")), "")


def _mark_of(folder: Path) -> str:
    """Mark in the environment of this folder's processes, and of no other processes."""
    return blake2b(str(folder.absolute()).encode(), digest_size=16).hexdigest()


def environment(inherited: Mapping[str, str], token: str) -> dict[str, str]:
    """Environment of the agent, from `inherited`, with the bot's token."""
    passed_on = {name: value for name, value in inherited.items() if not _NOT_INHERITED.fullmatch(name)}
    return {**passed_on, "PYTHONPATH": str(_CHECKOUT), "DISCORD_BOT_TOKEN": token}
