"""Scan of all windows' logs at start-up: the newest logs, and their ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from actors.linux.regular_file import open_regular
from domain.log.tail import TailState, newest_message, tail_state
from domain.log.window import LOGGED_SURFACES, LogName, is_imported_log, keeps_logs, parse_log_name
from messages.base import Surface, Window

_SHORT_LOOKS_BYTES = (2 * 1024, 16 * 1024)
_LONGEST_LOOK_BYTES = 64 * 1024


def window_folders(logs_root: Path) -> Iterator[tuple[Window, str]]:
    """Each window that may have a log, with its logs' folder, in no order; names of no window are skipped.

    Args:
        logs_root: The `logs` folder of a data root; the returned paths begin with this path.

    Raises:
        OSError: a folder can't be read.
    """
    for surface in LOGGED_SURFACES:
        for entry in entries_of(logs_root, surface):
            if (window := window_of(surface, entry)) is not None:
                yield window, entry.path


def entries_of(logs_root: Path, surface: Surface) -> Iterator[os.DirEntry[str]]:
    """Entries of the folder of a surface, in no order: folders of windows, and whatever else lies there.

    Raises:
        OSError: the folder can't be read; a missing folder has no entries.
    """
    try:
        entries = os.scandir(logs_root / surface.value)
    except FileNotFoundError:
        return
    with entries:
        yield from entries


def window_of(surface: Surface, entry: os.DirEntry[str]) -> Window | None:
    """The window that may have logs in the folder `entry`; None for an entry of no window."""
    is_its = keeps_logs(surface, entry.name) and entry.is_dir(follow_symlinks=False)
    return Window(surface=surface, id=entry.name) if is_its else None


def newest_name(folder: Path | str) -> str | None:
    """Name of the newest log in `folder`; None if the folder is empty or missing.

    Raises:
        OSError: the folder can't be read.
    """
    newest: tuple[LogName, str] | None = None
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    candidate = (parse_log_name(entry.name), entry.name)
                except ValueError:
                    continue  # Other files may lie there.
                newest = candidate if newest is None else max(newest, candidate)
    except FileNotFoundError:
        return None
    return None if newest is None else newest[1]


def log_names(folder: Path) -> list[str]:
    """Names of all logs in `folder`, oldest first; empty for a missing folder.

    Raises:
        OSError: the folder can't be read.
    """
    names: list[tuple[LogName, str]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    names.append((parse_log_name(entry.name), entry.name))
                except ValueError:
                    continue  # Other files may lie there.
    except FileNotFoundError:
        return []
    return [name for _, name in sorted(names)]


def all_log_names(folder: Path) -> list[str]:
    """Names of all logs in `folder`, imported logs first.

    Raises:
        OSError: the folder can't be read.
    """
    try:
        imported = sorted(entry.name for entry in folder.iterdir() if is_imported_log(entry.name))
    except FileNotFoundError:
        return []
    return [*imported, *log_names(folder)]


def read_tail_state(path: Path | str) -> TailState:
    """State that the last bytes of the log at `path` tell: 2 KiB, or up to 64 KiB if 2 KiB are not enough.

    The last message id is found in any case, even if the whole log must be read.

    Raises:
        OSError: the log can't be read.
    """
    fd = open_regular(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        size = os.fstat(fd).st_size
        for length in _SHORT_LOOKS_BYTES:
            state = _look(fd, size, length)
            if state.from_start or (state.is_known and state.last_message_id):
                break
        else:
            state = _look(fd, size, _LONGEST_LOOK_BYTES)
        if state.last_message_id:
            return state
        return msgspec.structs.replace(state, last_message_id=newest_message(os.pread(fd, size, 0)))
    finally:
        os.close(fd)


def _look(fd: int, size: int, length: int) -> TailState:
    start = max(0, size - length)
    return tail_state(os.pread(fd, size - start, start), from_start=start == 0)
