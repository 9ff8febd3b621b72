"""Folders of a campaign, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def new_folders(root: Path) -> Callable[[], Path]:
    """Gives a new empty folder below `root` at each call."""
    folders: list[Path] = []

    def folder() -> Path:
        folders.append(root / str(len(folders)))
        folders[-1].mkdir()
        return folders[-1]

    return folder
