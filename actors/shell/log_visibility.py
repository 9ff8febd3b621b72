"""Visibility of logs: which a window's commands may read, and how they come to lie at `logs/` for them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from domain.log.window import LOG_ROOT, log_folder
from domain.policy.audience import view_key
from messages.base import Surface, Window

log = logging.getLogger(__name__)

SCOPES = ("global", "context", "audience")
VIEWS = "views"
"""Below the data root: for each view a tree like that of the logs, with those logs that belong into it."""


@dataclass(frozen=True, slots=True)
class LogMounts:
    """Mounts of one command: what it may read of the logs."""

    at: Path
    """Where `logs` in the working directory has to lead."""
    mounts: tuple[tuple[str, str], ...]
    """Folders, and where each is shown; a later one lies over an earlier one."""


class LogVisibility:
    """Access rule: which logs the commands of a window may read.

    Makes the links and folders in views that this takes, and writes nothing else.
    """

    def __init__(self, data_root: Path, scope: str, *, can_overlay: bool) -> None:
        """Nothing is looked at yet.

        Args:
            data_root: Holds the logs and the views.
            scope: `global`: all logs; `context`: the window's own; `audience`: those whose readers include all of the
                window's, and its own.
            can_overlay: Whether a folder can be shown at another path, as bubblewrap does.

        Raises:
            ValueError: no such scope.
        """
        if scope not in SCOPES:
            raise ValueError(f"scope {scope!r}: must be one of {', '.join(SCOPES)}")
        self._root = data_root.absolute()
        self._logs = self._root / LOG_ROOT
        self._scope = scope
        self._can_overlay = can_overlay

    def mounts_for(self, window: Window, audience: str) -> LogMounts:
        """The logs for a command of `window`, whose readers `audience` is a label of.

        Raises:
            OSError: the window's own logs cannot be put into its view.
        """
        everything = ((str(self._logs), str(self._logs)),)
        if self._scope == "global":
            return LogMounts(self._logs, everything)
        if window.surface is Surface.CLI:
            return LogMounts(self._logs, ())
        own = str(self._root / log_folder(window))
        view = self._view(window, audience) if self._scope == "audience" else None
        if view is None or not view.is_dir():
            return LogMounts(self._logs, ((own, own),))
        mount_point = view / log_folder(window).relative_to(LOG_ROOT)
        if self._can_overlay:
            self._make_mount_point(mount_point)
            return LogMounts(self._logs, ((str(view), str(self._logs)), (own, own)))
        self._make_link(mount_point, Path(own))
        return LogMounts(view, ((str(view), str(view)), (own, own)))

    def _view(self, window: Window, audience: str) -> Path | None:
        try:
            return self._root / VIEWS / view_key(window, audience)
        except ValueError as error:
            log.warning("only its own logs are shown to %s: %s", window, error)
            return None

    def _make_mount_point(self, mount_point: Path) -> None:
        """See that there is a folder over which the window's own logs can be shown."""
        if mount_point.is_symlink():
            mount_point.unlink()
        mount_point.mkdir(parents=True, exist_ok=True)

    def _make_link(self, mount_point: Path, own: Path) -> None:
        """See that the window's own logs are found in the view; others who follow the link find it shut."""
        if mount_point.is_symlink() or (mount_point.is_dir() and any(mount_point.iterdir())):
            return
        if mount_point.is_dir():
            mount_point.rmdir()
        mount_point.parent.mkdir(parents=True, exist_ok=True)
        mount_point.symlink_to(own)
