"""Places: of files shipped with the agent, of files named in settings, and of files of windows."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from domain.log.pointer import beneath
from domain.log.window_folders import ATTACHMENTS_ROOT, attachments_folder
from messages.base import Window

_PACKAGES = Path(__file__).resolve().parents[2]
"""The checkout, or the folder where a wheel was installed."""
SHIPPED_SKILLS = _PACKAGES / "skills"
"""Skills shipped with the agent, beside its packages in a checkout and in an installation."""
_AGENT = "agent"


def program(packages: Path = _PACKAGES, python: Path = Path(sys.executable)) -> Path:
    """The agent's start program: the checkout's `bin/agent`, else the program installed by a wheel.

    Looks at the disk.

    Args:
        packages: Folder of the agent's packages.
        python: The interpreter; a wheel's programs lie beside the interpreter, except after a user installation.
    """
    ours, installed = packages / "bin" / _AGENT, python.with_name(_AGENT)
    return next((path for path in (ours, installed) if path.is_file()), Path(shutil.which(_AGENT) or installed))


def command(packages: Path = _PACKAGES, python: Path = Path(sys.executable)) -> str:
    """Command to start the agent, for messages to a person: as typed in the current folder.

    The command is `bin/agent` in the checkout's folder, `agent` if found by the shell, else the program's path.

    Args:
        packages: As of `program`.
        python: As of `program`.
    """
    path = program(packages, python)
    if path.is_relative_to(packages / "bin") and _is_here(packages):
        return f"bin/{_AGENT}"
    by_name = shutil.which(_AGENT)
    is_the_same = by_name is not None and Path(by_name).resolve() == path.resolve()
    return _AGENT if is_the_same else str(path)


def _is_here(folder: Path) -> bool:
    try:
        return folder.samefile(".")
    except OSError:  # the folder that one stood in was removed
        return False


def folder_of(name: str, data_root: Path) -> Path | None:
    """Folder denoted by a model's name, relative to the data root; None for a server's name of a model.

    Looks at the disk.
    """
    try:
        folder = (data_root / Path(name).expanduser()).absolute()
        return folder if "/" in name and folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long; nobody's home; a NUL
        return None


def locate_file(data_root: Path | None, workdir: Path | None, window: Window, pointer: str) -> tuple[Path, str]:
    """Folder of a window's file, and the path below that folder.

    A command sees the window's attachments in the working directory, though the files lie elsewhere.

    Args:
        data_root: Folder of the agent's own files; None if no files are kept.
        workdir: Working directory of the window; None for a window without files of its own.
        window: Owner of the file.
        pointer: Path as written by the command.

    Raises:
        ValueError: the window has no working directory.
    """
    attachment = beneath(ATTACHMENTS_ROOT, pointer)
    if attachment is not None and data_root is not None:
        return data_root / attachments_folder(window), attachment
    if workdir is None:
        raise ValueError("there are no working directories here, so no file can be sent")
    return workdir, pointer
