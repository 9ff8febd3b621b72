"""State of the approvals beyond one life of the actor: open questions and waiting askers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from domain.policy.approval import Question
from messages.base import MessageId, RequestId, Window
from messages.shell import AskApproval

NO_MESSAGE = MessageId("")


@dataclass(slots=True)
class OpenQuestion:
    """Question with asker and message."""

    question: Question
    asker: AskApproval | None = None
    """Waiting request; None if an earlier life asked, or the asker stopped waiting."""
    message_id: MessageId = NO_MESSAGE
    """Message with the buttons; empty until shown."""
    wait_id: RequestId | None = None
    """Id of the wait for the end of the question's hour; valid in a single life of the actor."""
    again_id: RequestId | None = None
    """Id of the wait before the next posting; valid in a single life of the actor."""


@dataclass(slots=True)
class ApprovalState:
    """Questions and requests, whatever becomes of the actor."""

    open: dict[str, OpenQuestion] = field(default_factory=dict)
    """By the question's id."""
    asking: dict[RequestId, AskApproval] = field(default_factory=dict)
    """Requests waiting for the window to name the asker."""
    ended: dict[RequestId, tuple[Window, str]] = field(default_factory=dict)
    """Posting under way of a finished question -> the window and the last words."""
    granted: dict[RequestId, Question] = field(default_factory=dict)
    """Request -> its granted question, until the turn ends."""
    has_read: bool = False
    """True if the questions of an earlier process are known."""

    def drop_granted(self, is_over: Callable[[Question], bool]) -> None:
        """Forget grants of turns that are over."""
        self.granted = {name: question for name, question in self.granted.items() if not is_over(question)}
