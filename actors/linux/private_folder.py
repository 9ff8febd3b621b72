"""Private folders: made with all that is missing above them, each for its owner alone, whatever the umask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

PRIVATE = 0o700


def make_private_one(folder: Path) -> None:
    """Make `folder`, unless it is there; those above it must be.

    Raises:
        OSError: it cannot be made, or is no folder.
    """
    folder.mkdir(mode=PRIVATE, exist_ok=True)


def make_private(folder: Path, make: Callable[[Path], None] = make_private_one) -> None:
    """Make `folder` and those above it that are missing; one that is there already stays as it is.

    `Path.mkdir` gives its mode to the last folder only, and to those above it what the umask leaves.

    Args:
        folder: Any.
        make: Makes one of them; as `actors.linux.disk.Disk.make_folder`.

    Raises:
        OSError: one of them cannot be made, or is no folder.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        make(each)
