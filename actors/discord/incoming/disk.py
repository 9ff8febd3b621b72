"""Disk as used by the Discord actor: folders of windows' files, and threads for reading and keeping the files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import Bulkhead
from actors.part import locate_file
from messages.base import Window

WorkdirOf = Callable[[Window], Path]
"""Gives a window's working directory; raises `ValueError` for a window without a directory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """Folders of windows' files, and the bound on the time for a file."""

    threads: Bulkhead
    """A lane for each window; all work on the window's files runs in the lane."""
    timeout_s: float
    """Seconds after which a file is given up."""
    data_root: Path | None
    """Parent of the agent's own folders; None where files are not kept."""
    workdir_of: WorkdirOf | None
    """Finder of working directories; None without working directories."""

    def locate_file(self, window: Window, pointer: str) -> tuple[Path, str]:
        """Folder of a window's file, and the path below the folder.

        Raises:
            ValueError: the window has no working directory.
        """
        workdir = None if self.workdir_of is None else self.workdir_of(window)
        return locate_file(self.data_root, workdir, window, pointer)
