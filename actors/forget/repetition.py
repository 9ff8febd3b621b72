"""Look for repetitions of forgotten texts, and for copies of messages: each window decides then by itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from actors.linux.regular_file import read_each
from domain.log.window import LOG_ROOT, LOGGED_SURFACES, keeps_logs, log_folder
from domain.log.window_folders import output_folder
from domain.turn.forgetting.needles import Needles
from messages.base import Surface, Window
from messages.forget import Scope, ScopeKind


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


def may_show(data_root: Path, window: Window, needles: Needles) -> bool:
    """True if a kept output of the window's commands may hold one of the pieces.

    Raises:
        OSError: an output cannot be read.
    """
    return any(needles.are_in(data) for _, data in read_each(data_root / output_folder(window)))


def find_thread(data_root: Path, scope: Scope) -> Iterator[Scope]:
    """Copy of the message in the log of its thread: with `discord.threads` only the thread may have the message."""
    thread = Window(surface=Surface.DISCORD_THREAD, id=scope.message_id)
    is_in_channel = scope.kind is ScopeKind.MESSAGE and scope.window.surface is Surface.DISCORD_CHANNEL
    if is_in_channel and keeps_logs(thread.surface, thread.id) and (data_root / log_folder(thread)).is_dir():
        yield replace(scope, window=thread)


def find_copies(data_root: Path, messages: Mapping[Window, Iterable[str]]) -> Iterator[Scope]:
    """Messages of people that also stand in the log of another window: threads are begun from messages.

    Raises:
        OSError: a folder or a log cannot be read.
    """
    windows = windows_with_logs(data_root)
    threads = {window.id: window for window in windows if window.surface is Surface.DISCORD_THREAD}
    channels = [window for window in windows if window.surface is Surface.DISCORD_CHANNEL]
    for window, message_ids in messages.items():
        for message_id in dict.fromkeys(message_ids):
            if window.surface is Surface.DISCORD_CHANNEL and message_id in threads:
                yield Scope(kind=ScopeKind.MESSAGE, window=threads[message_id], message_id=message_id)
            elif window.surface is Surface.DISCORD_THREAD and message_id == window.id:
                begun = Needles((message_id,))
                holders = (each for each in channels if may_repeat(data_root, each, begun))
                yield from (Scope(kind=ScopeKind.MESSAGE, window=each, message_id=message_id) for each in holders)
