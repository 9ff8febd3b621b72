"""Runs a command as the files in bin/ do once .venv is there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.patience import PATIENCE_S

CHECKOUT = Path(__file__).parents[3]


def run(
    program: str,
    *arguments: str,
    cwd: Path,
    stdin: bytes = b"",
    environment: Mapping[str, str] = MappingProxyType({}),
    timeout_s: float = 2 * PATIENCE_S,
) -> subprocess.CompletedProcess[str]:
    """`agent` or `agent-cli` with `arguments`, its output and exit code."""
    name = program.replace("-", "_")
    inherited = {key: value for key, value in os.environ.items() if not key.endswith(("_API_KEY", "_TOKEN"))}
    return subprocess.run(
        [sys.executable, "-P", "-c", f"from actors.cli import {name}; {name}(prog_name={program!r})", *arguments],
        cwd=cwd,
        input=stdin.decode("utf-8", "surrogateescape"),
        env={**inherited, "PYTHONPATH": str(CHECKOUT), **environment},
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=timeout_s,
        check=False,
    )


def digest(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` with what is in it, every folder with nothing."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}
