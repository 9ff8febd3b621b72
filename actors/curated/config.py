"""Configuration of curated memory: the operator's decisions, with every path made absolute."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.curated.table import CuratedTable
from actors.edited_file.rewriting import Waits
from actors.linux.disk import Disk
from messages.base import Address

CLI = "cli"
MEMORY = ".pi/memory"
"""A project's memory, relative to its repository."""
FOLDER = "curated"
"""Folder below the data root with the agent's own data of this memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedConfig:
    """Decisions about curated memory."""

    global_folder: Path
    projects: Mapping[str, Path]
    """Channel id, or `cli`, -> trusted repository."""
    untrusted: frozenset[str]
    """Channels with an untrusted repository; the repository itself is not named here."""
    own_folder: Path
    """The agent's own folder, for traces and for data that must outlive a crash in the middle of an edit."""
    surface: Address | None = None
    """Address of the readership service; None without the service."""
    channels: frozenset[str] = frozenset()
    """Channels of the agent; each shows the global memory."""
    dms: bool = False
    """True if direct messages are windows, with the global memory shown too."""
    lives: bool = True
    """True for a long-running agent; False for a single turn without noted decisions or pending work."""
    can_run: bool = True
    """True if commands exist at all."""
    no_memory: bool = False
    dates: bool = False
    stale_days: int = 90
    local_notes: str = "off"
    claude_folder: Path | None = None
    capture: bool = False
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    """The agent's own secrets, banned from all memory."""
    waits: Waits = field(default_factory=Waits)
    disk: Disk | None = None
    """None for the system's own."""

    def channels_of(self, repository: Path) -> frozenset[str]:
        """Channels, and `cli`, with this repository."""
        return frozenset(each for each, path in self.projects.items() if path == repository)


def absolute(path: str) -> Path:
    """A folder of the settings as an absolute path; reads no disk, so an untrusted folder stays untouched."""
    return Path(os.path.normpath(Path(path).expanduser().absolute()))


def projects_of(table: CuratedTable) -> tuple[dict[str, Path], frozenset[str]]:
    """Channel -> trusted repository, and the channels with an untrusted repository."""
    trusted = {absolute(path) for path in table.trusted_projects}
    paths = {channel: absolute(path) for channel, path in table.projects.items()}
    return (
        {channel: path for channel, path in paths.items() if path in trusted},
        frozenset(channel for channel, path in paths.items() if path not in trusted),
    )
