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
from typing import Any

from tests.actors.cli.warm import ForkedCommand, WarmProcess
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
    command = open_command(
        program, *arguments, cwd=cwd, env=given, **dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    )
    try:
        received = command.communicate(stdin, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        command.kill()
        command.communicate()
        raise
    return subprocess.CompletedProcess([program, *arguments], command.returncode, *map(_text, received))


def open_command(
    program: str, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, **given: Any
) -> subprocess.Popen[Any]:
    """Start `agent` or `agent-cli` without waiting for it: by a fork where nothing before its first line is changed.

    Args:
        program: Name of the command.
        arguments: Arguments of the command.
        cwd: Its folder.
        env: Its environment; None for `inherited()`.
        given: Further options of `Popen`.
    """
    usual = inherited()
    env = usual if env is None else env
    if any(env.get(name) != usual.get(name) for name in {*env, *usual} if name.startswith(OF_A_START)):
        return subprocess.Popen([*start(program), *arguments], cwd=cwd, env=dict(env), **given)
    return ForkedCommand(_warm(), program, *arguments, cwd=cwd, env=env, **given)


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
        given = {**inherited(), "TERM": "xterm-256color", **environment}
        process = open_command(program, *arguments, cwd=cwd, env=given, stdin=theirs, stdout=theirs, stderr=theirs)
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
