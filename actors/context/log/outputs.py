"""Kept outputs of a window's commands: the whole output, of which a log has only the end."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from actors.linux.regular_file import read_each
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
    repetitions = OutputRepetitions(texts)
    return tuple(path.name for path, data in read_each(root / output_folder(window)) if repetitions.are_in(data))
