"""Visibility of logs: the logs readable by a window's commands, and their mounts at `logs/`."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from domain.log.window import LOG_ROOT, REDACTED_ROOT, log_folder
from domain.policy.audience import view_key
from messages.base import Surface, Window

log = logging.getLogger(__name__)

SCOPES = ("global", "context", "audience")
VIEWS = "views"
"""Folder below the data root: for each view a tree like the tree of logs, with the view's logs only."""


@dataclass(frozen=True, slots=True)
class LogMounts:
    """Mounts of a command: the logs that the command may read."""

    at: Path
    """Required target of `logs` in the working directory."""
    mounts: tuple[tuple[str, str], ...]
    """Folders, each with its place of display; a later folder lies over an earlier folder."""


class LogVisibility:
    """Access rule: the logs that the commands of a window may read.

    Makes the links and folders for this in views, and writes no other files.
    """

    def __init__(self, data_root: Path, scope: str) -> None:
        """Store the configuration; read no file yet.

        Args:
            data_root: Holds the logs and the views.
            scope: `global`: all logs; `context`: the window's own; `audience`: the window's own, and all logs whose
                readers include all readers of the window. The command line reads all.

        Raises:
            ValueError: no such scope.
        """
        if scope not in SCOPES:
            raise ValueError(f"scope {scope!r}: must be one of {', '.join(SCOPES)}")
        self._root = data_root.absolute()
        self._logs = self._root / LOG_ROOT
        self._scope = scope

    def mounts_for(self, window: Window, audience: str) -> LogMounts:
        """Logs for a command of `window`; `audience` is a label of the window's place.

        Raises:
            OSError: the window's own logs cannot be put into its view.
        """
        if self._scope == "global" or window.surface is Surface.CLI:  # the operator's, to whom the memory shows all
            return LogMounts(self._logs, self._whole(self._logs))
        own = self._root / log_folder(window)
        view = self._view(audience) if self._scope == "audience" else None
        if view is None or not view.is_dir():
            return LogMounts(self._logs, self._whole(own))
        mount_point = view / log_folder(window).relative_to(LOG_ROOT)
        self._make_mount_point(mount_point)
        return LogMounts(self._logs, ((str(view), str(self._logs)), *self._whole(own)))

    def _whole(self, logs: Path) -> tuple[tuple[str, str], ...]:
        """Folder of logs, overlaid with the copies of redacted logs."""
        copies = sorted((self._root / REDACTED_ROOT / logs.relative_to(self._logs)).rglob("*.md"))
        shown_at = (self._logs / copy.relative_to(self._root / REDACTED_ROOT) for copy in copies)
        return ((str(logs), str(logs)), *((str(copy), str(at)) for copy, at in zip(copies, shown_at, strict=True)))

    def _view(self, audience: str) -> Path | None:
        try:
            return self._root / VIEWS / view_key(audience)
        except ValueError as error:
            log.warning("only a window's own logs are shown to its commands: %s", error)
            return None

    def _make_mount_point(self, mount_point: Path) -> None:
        """Ensure a folder as mount point for the window's own logs."""
        if mount_point.is_symlink():
            mount_point.unlink()
        mount_point.mkdir(parents=True, exist_ok=True)
