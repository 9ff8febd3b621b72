"""Folders of the agent's own for each window, relative to the data root; its commands see both for reading only."""

from __future__ import annotations

from pathlib import PurePath

from domain.log.window import LOG_ROOT, log_folder
from messages.base import TurnId, Window

ATTACHMENTS_ROOT = PurePath("attachments")
OUTPUT_ROOT = PurePath("output")
REPLACED = "replaced-"
"""In a data root: prefix of the folders with content replaced by a restore."""


def attachments_folder(window: Window) -> PurePath:
    """Folder of attached files: `attachments/<surface>/<context_id>`.

    Raises:
        ValueError: as `log_folder`.
    """
    return ATTACHMENTS_ROOT / log_folder(window).relative_to(LOG_ROOT)


def output_folder(window: Window) -> PurePath:
    """Folder of the full output of commands: `output/<surface>/<context_id>`.

    Raises:
        ValueError: as `log_folder`.
    """
    return OUTPUT_ROOT / log_folder(window).relative_to(LOG_ROOT)


def output_prefix(turn_id: TurnId) -> str:
    """Beginning of the names of files with outputs of a turn's commands; empty for no turn."""
    return f"{turn_id}-" if turn_id else ""
