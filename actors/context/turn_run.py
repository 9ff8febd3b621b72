"""The turn in hand: what it waits for, and what it has collected so far."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from actors.kernel import Timer
from messages.base import Address, RequestId, TurnId
from messages.model import ToolCall
from messages.turn import LoggedEvent

NO_REQUEST = RequestId("")


class Phase(StrEnum):
    """What a turn waits for."""

    PREPARING = "preparing"
    """Contributors."""
    THINKING = "thinking"
    """The model."""
    ACTING = "acting"
    """The shell."""


@dataclass(slots=True)
class TurnRun:
    """State that only lives while a turn runs; a crash loses it and the log brings the turn back."""

    turn_id: TurnId
    phase: Phase = Phase.PREPARING
    request_id: RequestId = NO_REQUEST
    """Of the one request whose answer is awaited; answers to any other are stale."""
    timer: Timer | None = None
    """Fires when the wait has lasted too long."""
    waiting_for: set[str] = field(default_factory=set)
    """Contributors that have not answered yet."""
    blocks: dict[str, str] = field(default_factory=dict)
    """Contributor -> its block."""
    calls: deque[ToolCall] = field(default_factory=deque)
    """Tool calls of this round that have not been run yet; the first may be running."""
    logged: list[LoggedEvent] = field(default_factory=list)

    def block(self, contributors: tuple[Address, ...]) -> str:
        """Everything that was contributed, in the contributors' fixed order."""
        parts = (self.blocks.get(str(address), "") for address in contributors)
        return "\n\n".join(part for part in parts if part)

    def awaits(self, request_id: RequestId, phase: Phase) -> bool:
        """Whether an answer to `request_id` is what the turn waits for."""
        return self.phase is phase and self.request_id == request_id

    def stop_timer(self) -> None:
        """The wait is over."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
