"""Process start: bash without a wrapper, and the environment of every command."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from actors.shell.refused import RefusedError
from actors.shell.workplace import Workplace
from messages.base import Window
from messages.shell import StartServer

BASH_CANDIDATES = ("/bin/bash", "/usr/bin/bash", "bash")
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SERVER_HOME = "/tmp"
PASSED_ON = ("TZ", "TZDIR")
"""Variables of the agent passed to commands unchanged. Keys and tokens are named nowhere here, so no secret passes."""

_BASH_OPTIONS = ("--noprofile", "--norc", "-c")
_PROBE_EXIT_CODE = 42
_PROBE_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Arguments of a process start."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    cwd: Path
    inherited_fds: tuple[int, ...] = field(default=())
    stdin: int = subprocess.DEVNULL
    """Descriptor of the standard input."""


def bash_launch(bash: str, command: str, workplace: Workplace, environment: Mapping[str, str]) -> Launch:
    """Bash running `command` with no start-up file of anybody's."""
    return Launch(argv=(bash, *_BASH_OPTIONS, command), environment=environment, cwd=workplace.cwd)


def command_environment(
    inherited: Mapping[str, str], *, workplace: Workplace, window: Window, data_root: Path, answer_s: float = 0.0
) -> dict[str, str]:
    """Whole environment of a command, built from scratch.

    Args:
        inherited: The agent's own environment, source of PATH and `PASSED_ON`.
        workplace: Working directory of the command.
        window: Window of the command.
        data_root: Base of relative pointers.
        answer_s: Seconds that scripts wait for an answer at the control socket; 0 for the usual wait.
    """
    return {name: inherited[name] for name in PASSED_ON if name in inherited} | {
        "PATH": _absolute_folders(inherited.get("PATH", "")) or DEFAULT_PATH,
        "HOME": str(workplace.home),
        "PWD": str(workplace.cwd),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "AGENT_DATA_ROOT": str(data_root),
        "AGENT_WINDOW": f"{window.surface.value}/{window.id}",
        **({"AGENT_ANSWER_S": f"{answer_s:g}"} if answer_s else {}),
    }


def server_environment(inherited: Mapping[str, str], request: StartServer) -> dict[str, str]:
    """Whole environment of a server, built only from `PASSED_ON`, PATH and the operator's variables."""
    passed_on = {name: value for name, value in inherited.items() if name in PASSED_ON}
    return passed_on | {
        "PATH": _absolute_folders(inherited.get("PATH", "")) or DEFAULT_PATH,
        "HOME": SERVER_HOME,
        "LANG": "C.UTF-8",
        **dict(request.environment),
    }


def server_launch(bash: str, command: str, environment: Mapping[str, str]) -> Launch:
    """Bash running a server without a wrapper."""
    return Launch(argv=(bash, *_BASH_OPTIONS, command), environment=environment, cwd=Path(SERVER_HOME))


def start(launch: Launch, output_fd: int) -> subprocess.Popen[bytes]:
    """Start the process in a separate session, with stdout and stderr going to `output_fd`.

    No `preexec_fn`: it would fork the whole agent (43 ms at 1 GB) and may deadlock beside threads.

    Raises:
        RefusedError: the process cannot be started.
    """
    try:
        return subprocess.Popen(
            launch.argv,
            stdin=launch.stdin,
            stdout=output_fd,
            stderr=output_fd,
            cwd=str(launch.cwd),  # an error then names it as a string
            env=launch.environment,
            start_new_session=True,
            pass_fds=launch.inherited_fds,
        )
    except OSError as error:
        if error.filename == str(launch.cwd) and isinstance(error, FileNotFoundError):
            raise RefusedError(f"Working directory does not exist: {launch.cwd}") from error
        raise RefusedError(f"The command could not be started: {error}") from error


def has_ended(process: subprocess.Popen[bytes], wait_s: float) -> bool:
    """Wait, and return True if a process has ended; not for an actor, since actors never wait.

    Args:
        process: From `start`.
        wait_s: Longest wait in seconds.
    """
    try:
        process.wait(wait_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def probe_bash(candidates: Sequence[str] = BASH_CANDIDATES) -> str | None:
    """Path of the first working bash among `candidates`; None without a working bash. Waits for a few ms."""
    for candidate in candidates:
        path = shutil.which(candidate)
        if path is not None and Path(path).is_absolute() and _runs(path):
            return path
    return None


def _runs(bash: str) -> bool:
    try:
        probe = subprocess.run(
            [bash, *_BASH_OPTIONS, f"exit $(({_PROBE_EXIT_CODE}))"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": DEFAULT_PATH},
            timeout=_PROBE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == _PROBE_EXIT_CODE


def _absolute_folders(path: str) -> str:
    """`path` without relative entries: through them a file in the working directory could pose as a program."""
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if folder.startswith("/"))
