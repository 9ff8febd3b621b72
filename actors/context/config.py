"""What a ContextActor is told when it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from domain.bash_tool import BASH_TOOL
from messages.base import Address, Window
from messages.model import ToolSpec


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """The same for all windows; whom to ask, and the limits."""

    model: Address
    shell: Address
    surface: Address
    """Who shows answers of a window that was picked up without a new message."""
    workdir: Callable[[Window], str]
    """The folder in which a window's commands run, as the model is told it."""
    tool: ToolSpec = BASH_TOOL
    """The one tool that the model is offered."""
    contributors: tuple[Address, ...] = ()
    subscribers: tuple[Address, ...] = ()
    prepare_deadline_s: float = 5.0
    max_history_tokens: int = 100_000
    max_rounds: int = 50
    """Times that the model may ask for tools in one turn."""
    model_deadline_s: float = 1_800.0
    """Longer than all retries of the model together: only a lost request lasts so long."""
    shell_deadline_s: float = 700.0
    """Longer than the longest time-out of a command."""
