"""Logs of a window without forgotten words: each is replaced by a rename, so a kill leaves the old file or the new one.

The only module that takes words out of files below `logs/`. An open log must be opened again afterwards.
"""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path

from actors.context.log.redactions import Redactions
from actors.context.log.scan import all_log_names
from actors.linux.disk import Disk, draft_path, put_whole
from actors.linux.regular_file import read_regular
from domain.log.parser import parse
from domain.log.redaction import tombstones_in
from domain.log.window import log_folder, redacted_path
from domain.turn.forgetting.rewriting import forget_words
from domain.turn.forgetting.scope import Chosen
from messages.base import Window

_UNNAMED = ".new"
"""Name of an incomplete log in its folder."""
_DRAFTS = draft_path(Path("*.md")).name
"""Names of drafts, also of an imported log that was never finished."""


def take_out(root: Path, window: Window, chosen: Chosen, forget_id: str, disk: Disk) -> None:
    """Take words out of a window's logs and of their copies; the same again finishes what a kill cut short.

    Args:
        root: The data root.
        window: Window of the logs.
        chosen: Events to forget.
        forget_id: Of the request.
        disk: Writes the files.

    Raises:
        OSError: some words may still be there.
    """
    folder = root / log_folder(window)
    ids = [each.encode("ascii") for each in (*chosen.whole, *chosen.quotations)]

    def has_chosen(name: str) -> bool:
        data = read_regular(folder / name)
        return any(event_id in data for event_id in ids)

    # The records that a crash cut short go first: once the events are gone, the same command finds nothing to do.
    for name in sorted(all_log_names(folder), key=has_chosen):
        data = read_regular(folder / name)
        fresh = forget_words(data, chosen.whole, chosen.quotations, forget_id)
        if fresh != data:
            put_whole(disk, folder / name, fresh, mode=stat.S_IMODE((folder / name).lstat().st_mode))
    renew_copies(root, window, disk)


def renew_copies(root: Path, window: Window, disk: Disk) -> None:
    """Make the copies of a window's logs for commands say no more than the logs.

    Raises:
        OSError: a copy may say more.
    """
    folder = log_folder(window)
    logs = (parse(read_regular(root / folder / name)) for name in all_log_names(root / folder))
    tombstones = tombstones_in(logged.event for log in logs for logged in log.events)
    Redactions(root, disk).renew(folder, tombstones)


def remove_drafts(root: Path, window: Window, disk: Disk) -> None:
    """Remove unfinished logs and copies of a killed process: no program reads these files, and they hold words.

    Raises:
        OSError: a draft cannot be removed.
    """
    logs = log_folder(window)
    for folder in (root / logs, root / redacted_path(logs.as_posix())):
        for draft in (folder / _UNNAMED, *folder.glob(_DRAFTS)):
            with suppress(FileNotFoundError):
                disk.unlink(draft)
