"""Disk as the Discord actor uses it: where windows have files, and the threads in which these are read and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import Bulkhead
from domain.log.pointer import beneath
from domain.log.window_folders import ATTACHMENTS_ROOT, attachments_folder
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

        A command sees the window's attachments in its working directory, where they are not.

        Args:
            window: Owner of the file.
            pointer: Path as the command wrote it.

        Raises:
            ValueError: the window has no working directory.
        """
        attachment = beneath(ATTACHMENTS_ROOT, pointer)
        if attachment is not None and self.data_root is not None:
            return self.data_root / attachments_folder(window), attachment
        if self.workdir_of is None:
            raise ValueError("there are no working directories here, so no file can be sent")
        return self.workdir_of(window), pointer
