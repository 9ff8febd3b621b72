"""Configuration of a ContextActor: addresses to ask, and the limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from domain.policy.channel_rules import ChannelRules
from domain.turn.bash_tool import BASH_TOOL
from domain.turn.prompt import MEMORY_PREFIX, system_prompt
from messages.base import Address, Window
from messages.model import ToolSpec
from messages.turn import TurnContribution

Taker = Address | Callable[[Window], Address]
"""Participant in turns: a shared actor, or an actor of each window."""

COUNTED_RESULT_CHARS = 200
"""Counted characters of an old result, if another part words results: the length of a reference."""


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """Configuration for all windows: addresses to ask, and the limits."""

    model: Address
    shell: Address
    surface: Address
    """Address to show answers of a window picked up without a new message."""
    workdir: Callable[[Window], str]
    """Folder of a window's commands, as shown to the model."""
    attachments: Callable[[Window], str]
    """The agent's own folder of a window's images; empty without images."""
    tool: ToolSpec | None = BASH_TOOL
    """The single tool of the model; None if commands are turned off."""
    contributors: tuple[Taker, ...] = ()
    blocks: frozenset[str] = frozenset((MEMORY_PREFIX,))
    """First lines of possible blocks, for explanation in the system prompt."""
    referrers: tuple[Address, ...] = ()
    """Contributors that can be asked to expand references in their blocks, in the same order."""
    subscribers: tuple[Taker, ...] = ()
    compactor: Callable[[Window], Address] | None = None
    """Address to ask before a window's history is cut; None to cut without asking."""
    compaction_deadline_s: float = 65.0
    """Longer than the compactor waits for its workers."""
    compaction_glance_s: float = 1.0
    """Seconds to wait for the compactor when no cut is due, or after an unanswered cut."""
    first_deadline_s: float = 15.0
    """Seconds to wait, once in a life, for the opening words of earlier lives' requests."""
    wording: Callable[[Window], Address] | None = None
    """Address of the part that words command results of a window; None without such a part."""
    wording_tokens: int = 0
    """Most tokens of worded texts in a request, on top of the history."""
    wording_deadline_s: float = 1.0
    prepare_deadline_s: float = 5.0
    max_history_tokens: int = 100_000
    max_rounds: int = 50
    """Rounds of tool calls that the model may request in a turn."""
    max_calls: int = 100
    """Most commands in a turn; the model is told that further commands are not run."""
    model_deadline_s: float = 1_800.0
    """Longer than all retries of the model together: only a lost request lasts so long."""
    max_expansions: int = 0
    """Records that the model may ask to expand in a turn; 0 turns expansion off."""
    expansion_deadline_s: float = 10.0
    shell_deadline_s: float = 700.0
    """Longer than the longest time-out of a command."""
    resumes_calls: bool = False
    """True if calls may wait for a person's approval, and go on waiting after an interruption.

    A result is then safe on the disk before the next call of the round: else a power loss would hide that the next call
    had begun.
    """
    shows_logs: bool = True
    """True if commands can read logs."""
    models: tuple[str, ...] = ()
    """Models for people to choose from, the usual model first; empty for no choice."""
    rules: ChannelRules = field(default_factory=ChannelRules)
    """Instructions and models of single channels."""
    mid_turn: Literal["followup", "steer"] = "followup"
    """Effect of a message during a turn: wait, or join the turn before its next model call after tools."""
    streams: bool = False
    """True if the surface shows answers while the model is writing."""
    reacts: bool = False
    """True if the surface shows the state of messages by reactions."""

    @property
    def history_tokens(self) -> int:
        """Limit of the history itself: worded results have a separate place of at most half this limit."""
        return max(self.max_history_tokens // 2, self.max_history_tokens - self.wording_tokens)

    @property
    def counted_result_chars(self) -> int | None:
        """Characters counted for a result in the history; None for results shown in full."""
        return COUNTED_RESULT_CHARS if self.wording is not None else None

    def takers(self, window: Window, of: tuple[Taker, ...]) -> tuple[Address, ...]:
        """Addresses of the participants in a window's turns."""
        return tuple(taker if isinstance(taker, Address) else taker(window) for taker in of)

    def system_prompt(
        self,
        window: Window,
        contributions: Sequence[TurnContribution],
        *,
        may_run: bool,
        tables: Sequence[str] = (),
        is_kept: bool = True,
    ) -> str:
        """Instructions at the start of every request of a turn.

        Args:
            window: Window of the conversation.
            contributions: Newest contributions, in their order.
            may_run: True if the model may use the tool, if there is a tool.
            tables: Ids of the channel tables in force there, the nearest first.
            is_kept: True if a log has the turn, where logs are kept at all.
        """
        channel = self.rules.of(tables).addition
        workdir = None if self.tool is None else self.workdir(window)
        can_run = may_run and workdir is not None
        return system_prompt(
            window,
            workdir,
            channel,
            *(_instructions(each, can_run=can_run) for each in contributions),
            may_run=may_run,
            shows_logs=self.shows_logs,
            stores=[store for each in contributions for store in each.stores],
            blocks=self.blocks if is_kept else (),
            is_kept=is_kept,
        )


def _instructions(part: TurnContribution, *, can_run: bool) -> str:
    return part.instructions if can_run or part.without_commands is None else part.without_commands
