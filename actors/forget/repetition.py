"""Repetition scan: which windows' logs may hold one of the forgotten texts; each window then decides by itself."""

from __future__ import annotations

import os
from pathlib import Path

from domain.log.window import LOG_ROOT, LOGGED_SURFACES, keeps_logs
from domain.turn.forgetting.needles import Needles
from messages.base import Window


def windows_with_logs(data_root: Path) -> list[Window]:
    """Windows that have logs, sorted.

    Raises:
        OSError: a folder cannot be read.
    """
    windows = []
    for surface in LOGGED_SURFACES:
        folder = data_root / LOG_ROOT / surface.value
        names = sorted(os.listdir(folder)) if folder.is_dir() else []  # noqa: PTH208
        windows += [Window(surface=surface, id=name) for name in names if keeps_logs(surface, name)]
    return windows


def may_repeat(data_root: Path, window: Window, needles: Needles) -> bool:
    """True if a log of the window may hold one of the pieces.

    Raises:
        OSError: a log cannot be read.
    """
    folder = data_root / LOG_ROOT / window.surface.value / window.id
    return any(needles.are_in(path.read_bytes()) for path in sorted(folder.glob("*.md")))
