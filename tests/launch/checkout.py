"""Checkouts whose locks name one tiny package each, served from a folder."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CLI = """
import sys
import tiny

def agent(prog_name):
    print(prog_name, tiny.VERSION, *sys.argv[1:])
"""
CODES = Path("actors", "memory", "codes")
ENCODER = Path("actors", "embedder", "encoder")
PYTEST = "import os, sys; print(os.getcwd(), *sys.argv[1:])"

BY_PYTHON = (sys.executable,)
"""A command started as `python3 bin/agent`; with nothing in its place, as `bin/agent`."""
WITH_THIS_PYTHON = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

DEADLINE_S = 240
"""For one set-up of .venv: 4 s on an idle machine, mostly the copying of pip, but 20 s were seen on a busy one."""


def write_wheel(folder: Path, name: str, version: str, source: str) -> str:
    """The locked requirement for a new wheel of one module."""
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    contents = {
        f"{name}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, text in contents.items():
            archive.writestr(zipfile.ZipInfo(file), text)  # without today's date, so that the hash is the content's
    return requirement(name, version, wheel)


def repack_wheel(folder: Path, name: str) -> str:
    """The locked requirement for a wheel of what is installed here under that name."""
    installed = metadata.distribution(name)
    wheel = folder / f"{name}-{installed.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in installed.files or ():
            if ".." not in file.parts and file.suffix != ".pyc" and file.name not in ("INSTALLER", "REQUESTED"):
                archive.write(file.locate(), str(file))
    return requirement(name, installed.version, wheel)


def requirement(name: str, version: str, wheel: Path) -> str:
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@dataclass
class Checkout:
    """A clone with the real bin/ and made-up locks; `wheels` is all the internet it has."""

    root: Path
    wheels: Path

    def lock(self, name: str, requirement: str) -> None:
        (self.root / name).write_text(requirement)

    def start(
        self,
        command: str,
        *arguments: str,
        cwd: Path | None = None,
        python: tuple[str, ...] = BY_PYTHON,
        **environ: str,
    ) -> subprocess.Popen[str]:
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)}
        return subprocess.Popen(
            [*python, self.root / "bin" / command, *arguments],
            cwd=cwd or self.root,
            env={**os.environ, **offline, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        command: str,
        *arguments: str,
        cwd: Path | None = None,
        python: tuple[str, ...] = BY_PYTHON,
        **environ: str,
    ) -> subprocess.CompletedProcess[str]:
        with self.start(command, *arguments, cwd=cwd, python=python, **environ) as process:
            stdout, stderr = process.communicate(timeout=DEADLINE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)
