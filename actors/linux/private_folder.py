"""Private folders: made with all that is missing above them, each for its owner alone, whatever the umask."""

from __future__ import annotations

from pathlib import Path

PRIVATE = 0o700


def make_private(folder: Path) -> None:
    """Make `folder` and those above it that are missing; one that is there already stays as it is.

    `Path.mkdir` gives its mode to the last folder only, and to those above it what the umask leaves.

    Raises:
        OSError: one of them cannot be made, or is no folder.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        each.mkdir(mode=PRIVATE, exist_ok=True)
