"""Configuration of the scheduler: the operator's decisions about reminders, and the places of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path

from actors.edited_file.file import LIMIT_BYTES
from actors.edited_file.queue import QueueConfig
from actors.edited_file.rewriting import Waits
from actors.linux.disk import Disk, RealDisk
from domain.reminder.document import without_added_id
from domain.reminder.share import EDITS, LISTS
from messages.base import Address, Window

REQUESTED_BYTES = LIMIT_BYTES // 2
"""Largest size of the file after a request, so people have room for lines of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerConfig:
    """Configuration of the scheduler: the place of reminders, and the channel and people for each post."""

    file: Path
    """May lie anywhere and need not exist."""
    spare: Path
    """A folder below the data root, made when needed."""
    zone: tzinfo
    """London's clocks, from `load_zone`."""
    channel: Window | None
    """Channel of the reminders; None: no channel, so no reminder is taken out of the file."""
    delivery: Address
    """Address that shows `PostMessage`."""
    owner_id: str = ""
    """User to mention when a reminder is due; empty for no mention."""
    catchup_hours: float = 0.0
    """Hours back within which a missed recurring reminder is still posted, once."""
    fires: bool = True
    """False for a command line's turn: requests are served, but no due reminder is posted."""
    waits: Waits = field(default_factory=Waits)
    disk: Disk = field(default_factory=RealDisk)
    """Stores the file."""

    def queue(self, flaw: Callable[[bytes], str]) -> QueueConfig:
        """Rules of editing the file; `flaw` gives the reason against an edit of the file as it is."""
        return QueueConfig(
            most_waiting=EDITS + LISTS,  # no more can come in a minute
            requested_bytes=REQUESTED_BYTES,
            file="the reminders' file",
            remedy="some reminders have to be deleted",
            waits=self.waits,
            flaw=flaw,
            key=without_added_id,
        )


def reminders_path(data_root: Path, configured: str) -> Path | None:
    """Path of the reminders' file by the setting `reminders.file`; None if unset.

    Args:
        data_root: Start of a relative path.
        configured: May begin with `~`.
    """
    if not configured:
        return None
    return data_root / Path(configured).expanduser()


def spare_folder(data_root: Path) -> Path:
    """Folder for data that must outlive a crash in the middle of an edit."""
    return data_root / "reminders"
