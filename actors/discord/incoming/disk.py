"""Disk as the Discord actor uses it: where windows have files, and the threads in which these are read and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import Bulkhead
from actors.part import locate_file
from messages.base import Window

WorkdirOf = Callable[[Window], Path]
"""Gives a window's working directory; `ValueError` for a window that has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """Folders of windows' files, and the bound on the time for a file."""

    threads: Bulkhead
    """A lane for each window; whatever touches a file of a window runs in that."""
    timeout_s: float
    """A file that takes longer is given up."""
    data_root: Path | None
    """Below it are the folders of the agent's own; None where nothing is kept."""
    workdir_of: WorkdirOf | None
    """None where there are no working directories."""

    def locate_file(self, window: Window, pointer: str) -> tuple[Path, str]:
        """Folder of a window's file, and the path below that folder.

        Raises:
            ValueError: the window has no working directory.
        """
        workdir = None if self.workdir_of is None else self.workdir_of(window)
        return locate_file(self.data_root, workdir, window, pointer)
