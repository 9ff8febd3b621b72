"""Settings table of curated memory, `[curated]`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from actors.part import Flag, Folder, FolderOf, Folders, OptionalFolder, Table, Whole


class CuratedTable(Table):
    """`[curated]`: where memory is kept by hand, and what may be done with it."""

    global_folder: Folder = "~/.pi/agent/memory"
    """Memory of this user, in all projects."""
    projects: FolderOf = FolderOf()
    """Channel, or `cli`, -> the repository whose `.pi/memory` belongs to it."""
    trusted_projects: Folders = ()
    """Repositories whose memory is read and written; of others nothing is opened."""
    no_memory: Flag = False
    """Whether nothing is injected until somebody says `/memory on`."""
    dates: Flag = False
    """Whether facts that are added, fixed or confirmed get the day, so that old ones can be listed."""
    stale_days: Whole = Field(default=90, ge=1, le=36_500)
    """After so many days without a confirmation a fact is suggested for a second look."""
    local_notes: Literal["off", "cli", "channels"] = "off"
    """Where a project's `MEMORY.local.md` is shown: nowhere, on the command line, or in its channels too."""
    claude_folder: OptionalFolder = ""
    """Claude Code's folder of projects, such as `~/.claude/projects`, to import from; empty for no import."""
    capture: Flag = False
    """Whether what people say in so many words should be kept is proposed for `/memory flush`."""
