"""Terminal of the commands: shown streams, progress, a live screen, and completion.

Read first `streams.py`: no output of a command can steer the terminal, and intended control sequences
go through this module. `progress.py` and `screen.py` send control sequences; neither writes any without a terminal.
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
