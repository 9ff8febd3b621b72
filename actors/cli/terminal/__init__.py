"""Terminal of the commands: shown streams, progress, a live screen, and completion.

Read first `streams.py`: nothing that a command prints can steer the terminal, and what a command itself wants to steer
goes through there. `progress.py` and `screen.py` are the two that do; neither writes anything where no terminal is.
"""

from __future__ import annotations

from actors.cli.terminal.streams import (
    NotShownError,
    ShownCommand,
    ShownGroup,
    ShownStream,
    echo_answer,
    echo_styled,
    on_one_line,
    own_stream,
)

__all__ = [
    "NotShownError",
    "ShownCommand",
    "ShownGroup",
    "ShownStream",
    "echo_answer",
    "echo_styled",
    "on_one_line",
    "own_stream",
]
