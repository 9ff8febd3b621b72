"""Runs a command as the files in bin/ do once .venv is there; `run` without the imports, which a warm process has done."""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from tests.actors.cli.warm import WarmProcess
from tests.patience import PATIENCE_S

CHECKOUT = Path(__file__).parents[3]
OF_A_START = ("LANG", "LC_", "OPENBLAS_", "PYTHON")
"""How variables begin that are read before a command's first line."""


def run(
    program: str,
    *arguments: str,
    cwd: Path,
    stdin: bytes = b"",
    environment: Mapping[str, str] = MappingProxyType({}),
    timeout_s: float = 2 * PATIENCE_S,
) -> subprocess.CompletedProcess[str]:
    """`agent` or `agent-cli` with `arguments`, its output and exit code."""
    given = {**inherited(), **environment}
    if any(name.startswith(OF_A_START) for name in environment):
        return subprocess.run(
            [*start(program), *arguments],
            cwd=cwd,
            input=stdin.decode("utf-8", "surrogateescape"),
            env=given,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=timeout_s,
            check=False,
        )
    code, *received = _warm().run(program, arguments, cwd, stdin, given, timeout_s)
    return subprocess.CompletedProcess([program, *arguments], code, *map(_text, received))


def run_on_terminal(
    program: str,
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] = MappingProxyType({}),
    typed: bytes = b"",
) -> tuple[int, str]:
    """Exit code of `agent` or `agent-cli`, and everything that a terminal received of it, on which `typed` was typed."""
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    try:
        process = subprocess.Popen(
            [*start(program), *arguments],
            cwd=cwd,
            env={**inherited(), "TERM": "xterm-256color", **environment},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
    finally:
        os.close(theirs)
    received = b""
    with process, contextlib.closing(os.fdopen(ours, "rb", buffering=0)) as terminal:
        with contextlib.suppress(OSError):  # so ends a terminal that nobody holds any more
            while chunk := terminal.read(65536):
                received += chunk
        return process.wait(2 * PATIENCE_S), received.decode(errors="surrogateescape")


@cache
def _warm() -> WarmProcess:
    made = WarmProcess(inherited(), CHECKOUT)
    atexit.register(made.end)
    return made


def _text(received: bytes) -> str:
    """As a stream that is opened for text has it."""
    return io.TextIOWrapper(io.BytesIO(received), errors="surrogateescape").read()


def start(program: str) -> list[str]:
    name = program.replace("-", "_")
    return [sys.executable, "-P", "-c", f"from lab.commands import {name}; {name}(prog_name={program!r})"]


def inherited() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.endswith(("_API_KEY", "_TOKEN"))}
    return {**kept, "PYTHONPATH": str(CHECKOUT)}


def digest(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` with what is in it, every folder with nothing."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}
