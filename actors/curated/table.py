"""Settings table of curated memory, `[curated]`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from actors.part import Flag, Folder, FolderOf, Folders, OptionalFolder, Table, Whole


class CuratedTable(Table):
    """`[curated]`: the places of hand-kept memory, and the permissions."""

    global_folder: Folder = "~/.pi/agent/memory"
    """Memory of this user, in all projects."""
    projects: FolderOf = FolderOf()
    """Channel, or `cli`, -> repository with the `.pi/memory` of this channel."""
    trusted_projects: Folders = ()
    """Repositories whose memory is read and written; no file of any other repository is opened."""
    no_memory: Flag = False
    """True if no memory is injected until a user says `/memory on`."""
    dates: Flag = False
    """True if added, fixed and confirmed facts get the day, so old facts can be listed."""
    stale_days: Whole = Field(default=90, ge=1, le=36_500)
    """After so many days without a confirmation a fact is suggested for a second look."""
    local_notes: Literal["off", "cli", "channels"] = "off"
    """Windows that show a project's `MEMORY.local.md`: no window, the command line, or also the project's channels."""
    claude_folder: OptionalFolder = ""
    """Claude Code's folder of projects, such as `~/.claude/projects`, to import from; empty for no import."""
    capture: Flag = False
    """True if facts that people explicitly ask to remember are proposed for `/memory flush`."""
