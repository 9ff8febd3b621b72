"""Paths of the reminders' file and of the scheduler's own folder."""

from __future__ import annotations

from pathlib import Path


def reminders_path(data_root: Path, configured: str) -> Path | None:
    """The file that the setting `reminders.file` names; None when it names none.

    Args:
        data_root: What a relative path begins at.
        configured: May begin with `~`.
    """
    if not configured:
        return None
    return data_root / Path(configured).expanduser()


def spare_folder(data_root: Path) -> Path:
    """Where the agent keeps what must outlive a crash in the middle of an edit."""
    return data_root / "reminders"
