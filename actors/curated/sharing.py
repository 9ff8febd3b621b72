"""Shared folders: which memory folders the commands of a turn see, and whether they may write there."""

from __future__ import annotations

import logging

from actors.curated.injection import Injections
from actors.curated.places import WindowPlaces
from actors.curated.sidecars import keep_from_commands
from actors.edited_file.file import reason_of
from actors.linux.disk import Disk
from messages.shell import SharedFolder

log = logging.getLogger(__name__)


def shared_folders(disk: Disk, injections: Injections, places: WindowPlaces) -> tuple[SharedFolder, ...]:
    """The memory folders that are there; what commands must not change of those that they may write is there then."""
    shared = []
    for place in places.places:
        folder = injections.folder(place)
        if not folder.exists:
            continue
        kept: tuple[str, ...] = ()
        may_write = place.may_write
        if may_write:
            try:
                kept = keep_from_commands(disk, folder)
            except OSError as error:
                log.warning("%s is shown for reading only: %s", folder.path, reason_of(error))
                may_write = False
        shared.append(SharedFolder(path=folder.real_path, may_write=may_write, kept=kept))
    return tuple(shared)
