"""Configuration of sub-agents: addresses that a run asks, and bounds of all runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from domain.text.token_estimate import CHARS_PER_TOKEN
from domain.turn.bash_tool import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S
from messages.base import Address, Window
from messages.model import MODEL
from messages.shell import SHELL
from messages.workspace import ChildRole


class MakePrompt(Protocol):
    """Words the system prompt of a run."""

    def __call__(self, window: Window, role: ChildRole, *, can_run: bool) -> str:
        """The system prompt, the same for all requests of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentConfig:
    """The same for all runs of all windows."""

    system_prompt: MakePrompt
    workspace_of: Callable[[Window], Address]
    """Address of the workspace that hears of a run's start."""
    model: Address = MODEL
    shell: Address = SHELL
    can_run: bool = True
    """True if commands are run at all."""
    default_timeout_s: float = DEFAULT_TIMEOUT_S
    """Time limit of commands without a limit from the model."""
    max_timeout_s: float = MAX_TIMEOUT_S
    """Longest time limit that a definition can allow."""
    max_history_tokens: int = 100_000
    """Bound on the size of a run's requests, by the 4-characters rule."""

    @property
    def limit_chars(self) -> int:
        """The same in characters."""
        return self.max_history_tokens * CHARS_PER_TOKEN
