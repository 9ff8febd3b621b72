"""Imitation of other machines: a child whose kernel answers as theirs, and what the agent then says of its sandbox.

A seccomp filter gives the errno that a container's profile, AppArmor or SELinux gives; the rest is the kernel's own
answer, got in a user namespace by `unshare`.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from actors.linux.syscall import PR_SET_NO_NEW_PRIVS, prctl
from actors.linux.syscall_numbers import PROCESSORS
from actors.shell.launch import probe_bash
from actors.shell.sandbox.choice import find_level
from actors.shell.warden_client import WardenClient
from tests.patience import PATIENCE_S

_ROOT = Path(__file__).parents[4]
_PR_SET_SECCOMP, _FILTER = 22, 2
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _AND, _IF_EQUAL, _IF_ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x45, 0x06
_NUMBER, _ARGUMENTS = 0, 16
_NUMBERS = {"openat": (257, 56), "sendto": (44, 206), "sethostname": (170, 161), "landlock_create_ruleset": (444, 444)}
"""System calls that the product's filters do not name: x86_64, aarch64."""
EQUAL, DIFFERENT, ANY_BIT = "equal", "different", "any bit"
NAMESPACES = 0x7E020000
"""CLONE_NEW… as the profiles of container runtimes have them."""

Rule = tuple[str, int, tuple[tuple[int, str, int], ...]]
"""Name of a system call, errno, and conditions on its arguments: number, comparison, value."""


@dataclass(frozen=True, kw_only=True)
class Imitated:
    """Machine to imitate."""

    refused: tuple[Rule, ...] = ()
    prelude: str = ""
    """Shell commands before, with the rights of root in namespaces of their own."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Path below / -> content: settings of the kernel and marks of containers, where the real ones cannot be had."""


@dataclass(frozen=True)
class Said:
    """Words of the agent on an imitated machine."""

    text: str
    """The level of the sandbox, and why it is not a better one."""
    refusal: str
    doctor: str
    """Finding of `agent doctor`, which knows no `files`; empty unless asked for."""


def imitate(machine: Imitated, folder: Path, *, asks_doctor: bool = False) -> Said:
    """Words of the agent about its sandbox on `machine`.

    Args:
        machine: The machine to imitate.
        folder: For the machine's files.
        asks_doctor: True to ask `agent doctor`, too, whose imports take longer than all else.
    """
    for path, content in machine.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    root = str(folder) if machine.files else "/"
    child = [sys.executable, "-P", "-m", __name__, root, json.dumps(machine.refused), *["doctor"] * asks_doctor]
    if machine.prelude:
        apart = ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
        shell = ["sh", "-euc", f'{machine.prelude}\nexec "$@"', "sh"]
        child = [str(shutil.which("unshare")), *apart, *shell, *child]
    done = subprocess.run(
        child, cwd=_ROOT, env={**os.environ, "PYTHONPATH": "."}, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    return Said(**json.loads(done.stdout))


def refuse(rules: list[Rule]) -> None:
    """Have the kernel refuse these system calls to this process and all that it will start."""
    column = list(PROCESSORS).index(os.uname().machine)
    numbers = PROCESSORS[os.uname().machine].numbers
    program = b""
    for name, code, conditions in rules:
        number = numbers[name] if name in numbers else _NUMBERS[name][column]
        body = _conditions(conditions) + _instruction(_RETURN, _ERRNO | code)
        program += _instruction(_LOAD, _NUMBER) + _instruction(_IF_EQUAL, number, 0, len(body) // 8) + body
    program += _instruction(_RETURN, _ALLOW)

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("at", ctypes.c_void_p))

    buffer = ctypes.create_string_buffer(program, len(program))
    described = Program(len(program) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(_PR_SET_SECCOMP, _FILTER, ctypes.addressof(described))


def _conditions(conditions: tuple[tuple[int, str, int], ...]) -> bytes:
    """Instructions that go on to the refusal if all conditions hold, and past it if not."""
    program = b""
    for left, (argument, comparison, value) in zip(range(len(conditions) - 1, -1, -1), conditions, strict=True):
        past = 2 * left + 1
        code = _IF_ANY_BIT if comparison == ANY_BIT else _IF_EQUAL
        jumps = (past, 0) if comparison == DIFFERENT else (0, past)
        program += _instruction(_LOAD, _ARGUMENTS + 8 * argument) + _instruction(code, value, *jumps)
    return program


def _instruction(code: int, operand: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("<HBBI", code, then, otherwise, operand)


async def _level(root: Path) -> tuple[str, str]:
    warden = WardenClient()
    try:
        level = await find_level("auto", probe_bash() or "bash", warden, root=root)
        return level.text, level.refusal
    finally:
        warden.close()


def _doctor() -> str:
    from actors.settings.schema import Shell
    from actors.shell.checks import findings

    return next(finding.detail for finding in findings(Shell()) if finding.name == "sandbox")


def main(root: str, rules: str, *doctor: str) -> None:
    """Print the agent's words as JSON."""
    if refused := json.loads(rules):
        refuse(refused)
    text, refusal = asyncio.run(_level(Path(root)))
    sys.stdout.write(json.dumps(asdict(Said(text, refusal, _doctor() if doctor else ""))))


if __name__ == "__main__":
    main(*sys.argv[1:])
