"""Tutorial: a page whose code is put into a folder as it stands, and whose commands are typed there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.docs.prose import ROOT
from tests.patience import PATIENCE_S

_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (?P<name>[\w./]+\.py)\n")
_PYTHON = ".venv/bin/python"
_ANYTHING = "…"
"""On a page: what differs from run to run, within a line."""


@dataclass(frozen=True, slots=True)
class File:
    """A block of code that is a file by its first line."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A command, and what the page says that it prints."""

    command: str
    printed: str


class AstrayError(Exception):
    """The page says something else than what happens."""


def steps(page: str) -> list[File | Call]:
    """All blocks of a page, in its order.

    Raises:
        AstrayError: a block is neither a file nor a command.
    """
    found: list[File | Call] = []
    for block in _BLOCK.finditer(page):
        kind, body = block["kind"], block["body"]
        name = _FILE.match(body)
        if kind == "python" and name is not None:
            found.append(File(name["name"], body))
        elif kind == "console" and body.startswith("$ "):
            command, _, printed = body.removeprefix("$ ").partition("\n")
            found.append(Call(command, printed))
        else:
            raise AstrayError(f"a block that is neither a file nor a command: {kind} {body[:60]!r}")
    return found


def follow(page: str, folder: Path) -> int:
    """Do what a page says, in a folder that stands for the checkout; how many steps that were.

    Raises:
        AstrayError: a command fails, or prints what the page does not say.
    """
    shutil.copy(ROOT / "pyproject.toml", folder)
    doing = steps(page)
    for step in doing:
        if isinstance(step, File):
            path = folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, "utf-8")
        else:
            _type(step, folder)
    return len(doing)


def _type(step: Call, folder: Path) -> None:
    program, *arguments = shlex.split(step.command)
    if program != _PYTHON:
        raise AstrayError(f"`{step.command}`: a tutorial's commands begin with {_PYTHON}")
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise AstrayError(f"`{step.command}` did not end within {PATIENCE_S:g} s") from error
    said = f"`{step.command}` printed\n{done.stdout}\n{done.stderr}"
    if done.returncode != 0:
        raise AstrayError(f"exit code {done.returncode}: {said}")
    pattern = ".*".join(re.escape(part) for part in step.printed.split(_ANYTHING))
    if re.fullmatch(pattern, done.stdout) is None:
        raise AstrayError(f"the page says\n{step.printed}\n{said}")
