"""Kept outputs of a window's commands: the whole output, of which a log has only the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from actors.linux.regular_file import list_regular, read_regular
from domain.log.window import keeps_logs
from domain.log.window_folders import output_folder
from domain.turn.forgetting.needles import OutputRepetitions
from messages.base import Window


def list_outputs(root: Path | None, window: Window, texts: Iterable[str]) -> tuple[str, ...]:
    """Names of the kept outputs of a window that repeat any of some texts.

    Args:
        root: The data root; None to keep no log.
        window: Window of the commands.
        texts: Forgotten texts.

    Raises:
        OSError: an output cannot be read.
    """
    if root is None or not keeps_logs(window.surface, window.id):
        return ()
    return tuple(_repeating(root / output_folder(window), OutputRepetitions(texts)))


def _repeating(folder: Path, repetitions: OutputRepetitions) -> Iterator[str]:
    for path in list_regular(folder):
        with suppress(FileNotFoundError):  # The shell makes room for a newer output.
            if repetitions.are_in(read_regular(path)):
                yield path.name
