"""Subprocess for each measurement, to keep memory and threads of measurements apart."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import actors
from lab.bench.measure import Figures

CHECKOUT = Path(actors.__file__).parents[1]
"""Folder of the project's own modules."""
_ERLANG_SOURCE = Path(__file__).parent / "kernel" / "kernel_peer.erl"
_ERLANG_MODULE = "kernel_peer"
_AT_A_TIME = 2
"""Number of parallel processes, one for each core of a small machine."""
LIMIT_S = 1200.0
"""Seconds allowed to one process; the longest, ten million messages, takes about a minute."""


class MeasurementError(Exception):
    """Missing figures of a measuring process; the text gives the reason in a sentence."""


def measure(module: str, sizes: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Figures printed by the `main` of a module, in a fresh Python with one thread for arithmetic.

    Args:
        module: Dotted name.
        sizes: Last argument of the process, as JSON.
        names: Arguments before the sizes.

    Raises:
        MeasurementError: the process failed.
    """
    command = [sys.executable, "-P", "-c", f"from {module} import main; main()", *names, json.dumps(sizes)]
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {**os.environ, **one_thread, "PYTHONPATH": str(CHECKOUT)}
    figures: dict[str, Any] = json.loads(output_of(command, " ".join((module, *names)), environment))
    return figures


def measure_each(
    module: str, name: str, values: Sequence[str], sizes: Mapping[str, Any], say: Callable[[str], object]
) -> dict[str, dict[str, Any]]:
    """Value -> figures of a process of its own, two processes at a time.

    Args:
        module: Dotted name.
        name: Name of the argument for the value.
        values: A value for each process.
        sizes: Further arguments, the same for all.
        say: Called with each finished value.

    Raises:
        MeasurementError: a process failed.
    """

    def figures(value: str) -> dict[str, Any]:
        measured = measure(module, {name: value, **sizes})
        say(f"{value}: done")
        return measured

    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        return dict(zip(values, pool.map(figures, values), strict=True))


class Erlang:
    """Erlang peer, compiled into a folder that the caller creates and removes."""

    def __init__(self, folder: Path) -> None:
        """Compile the peer.

        Raises:
            MeasurementError: the compilation failed.
        """
        self._folder = folder
        output_of(["erlc", "-o", str(folder), str(_ERLANG_SOURCE)], "erlc", os.environ, folder)

    @staticmethod
    def is_installed() -> bool:
        """True if both the emulator and the compiler are installed."""
        return shutil.which("erl") is not None and shutil.which("erlc") is not None

    def measure(self, name: str, sizes: Mapping[str, float]) -> Figures:
        """Figures of a measurement in a fresh emulator.

        Raises:
            MeasurementError: the measurement failed.
        """
        arguments = [str(round(size)) for size in sizes.values()]
        command = ["erl", "-noshell", "-noinput", "-pa", str(self._folder), "-run", _ERLANG_MODULE, "main", name]
        figures: Figures = json.loads(output_of([*command, *arguments], f"erlang {name}", os.environ, self._folder))
        return figures


class Program:
    """Program under measurement; a context manager that kills the program at the end."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path, *, is_heard: bool = False
    ) -> None:
        """Start the program.

        Args:
            command: File and arguments of the program.
            environment: Whole environment of the program.
            folder: Working directory.
            log: File to which the output is appended.
            is_heard: True if `read_line` reads stdout.
        """
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                list(command),
                env=dict(environment),
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if is_heard else file,
                stderr=file,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Process id of the program."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """True if the program has not ended."""
        return self._process.poll() is None

    def read_line(self) -> str:
        """Read the next line of stdout; empty when the program ends without a line."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode().strip()

    def write_line(self, line: str) -> None:
        """Write a line to the program's stdin."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the program's end; True if the program has ended."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self, timeout_s: float) -> bool:
        """Ask the program to end, as a service manager does; False if it was killed after `timeout_s` seconds."""
        self._process.terminate()
        has_ended = self.wait(timeout_s)
        if not has_ended:
            self.kill()
        return has_ended

    def kill(self) -> None:
        """Kill the program with all processes of the session; return when the program is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the program if still running, and close the pipes."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def output_of(command: Sequence[str], what: str, environment: Mapping[str, str], folder: Path = CHECKOUT) -> str:
    """Output of `command`; runs in `folder`, since the user's working directory may hold foreign modules."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise MeasurementError(f"{what}: not done within {LIMIT_S:g} s") from error
    if done.returncode:
        reason = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise MeasurementError(f"{what}: {reason}")
    return done.stdout
