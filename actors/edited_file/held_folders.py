"""Folders inside a folder writable by hostile programs, each held open: a link in its place has no effect.

A command may replace a folder between any two calls. So the folder itself is opened once without following a link, and
every file in the folder is reached through the descriptor.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.edited_file.access import FileRefusedError

MOST_HELD = 64
"""Most folders held, replaced folders included."""


@dataclass(frozen=True, slots=True)
class HeldFolder:
    """One folder."""

    fd: int
    path: Path
    """Name of the folder, for people."""

    @property
    def place(self) -> Path:
        """Path to the held folder, whatever has the folder's name now."""
        return Path(f"/proc/self/fd/{self.fd}")

    def with_shown_path(self, reason: str) -> str:
        """Message about the folder, with the path known to people."""
        return reason.replace(str(self.place), str(self.path))


class HeldFolders:
    """Every held folder reached in this life of the actor."""

    def __init__(self) -> None:
        self._folders: list[HeldFolder] = []

    def hold(self, path: Path) -> HeldFolder:
        """Open an existing folder as it is now.

        Raises:
            FileRefusedError: the path belongs to no real folder, or changes too often.
            OSError: it cannot be opened.
        """
        if path.is_symlink() or not path.is_dir():
            raise FileRefusedError(f"{path}: is a link or not a folder, so nothing is written there")
        fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        for each in self._folders:
            if os.path.sameopenfile(each.fd, fd):
                os.close(fd)
                return each
        if len(self._folders) >= MOST_HELD:
            os.close(fd)
            raise FileRefusedError(f"{path}: another folder took its place too often, so nothing is written there")
        folder = HeldFolder(fd, path)
        self._folders.append(folder)
        return folder

    def of(self, path: Path) -> HeldFolder | None:
        """Held folder of a file, if `path` goes through a held folder."""
        return next((each for each in self._folders if path.parent == each.place), None)

    def drop(self, is_done_with: Callable[[Path], bool]) -> None:
        """Close the folders whose path is no longer needed."""
        done_with = [each for each in self._folders if is_done_with(each.place)]
        self._folders = [each for each in self._folders if each not in done_with]
        for each in done_with:
            os.close(each.fd)

    def close(self) -> None:
        """Close all folders."""
        for each in self._folders:
            os.close(each.fd)
        self._folders.clear()
