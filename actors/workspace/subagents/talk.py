"""Conversation of a run with a model: task, calls and results, kept within bounds, and the usage."""

from __future__ import annotations

from datetime import datetime

from domain.turn.bash_tool import shown_arguments
from domain.turn.call_result import is_overgrown, shorten
from domain.turn.turn import Turn
from messages.base import TurnId
from messages.model import ChatMessage, ModelReply, Role, ToolCall, Usage

GONE = "nowhere any more; run the command again if you need it"
"""Place of a shortened result without a kept file."""


class Talk:
    """Messages of a run's requests; old results are shortened once the talk has grown long."""

    def __init__(self, run: str, prompt: str, at: datetime, limit_chars: int) -> None:
        """Begin with one message.

        Args:
            run: Id of the run.
            prompt: The task.
            at: Time of the beginning.
            limit_chars: Bound on the growth of the conversation besides the task.
        """
        self._turn = Turn(id=TurnId(run), message_id="", author_id="", author="", text=prompt, at=at, prompt=prompt)
        self._limit_chars = limit_chars
        self.replies = 0
        self.usage = Usage()
        self.last_words = ""
        """Last words of the model; empty before the first."""

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """All messages, for a request."""
        return (ChatMessage(role=Role.USER, text=self._turn.prompt), *self._turn.steps)

    @property
    def is_overgrown(self) -> bool:
        """True if the talk is too long, even with all results shortened."""
        return is_overgrown(self._turn, self._limit_chars)

    def count(self, reply: ModelReply) -> None:
        """Record the cost and the content of a reply."""
        self.replies += 1
        self.usage += reply.usage
        self.last_words = reply.words.strip() or self.last_words

    def add_reply(self, reply: ModelReply) -> None:
        """Append the model's words and calls; each call must get a result."""
        calls = tuple(
            ToolCall(id=call.id, name=call.name, arguments_json=shown_arguments(call.arguments_json))
            for call in reply.tool_calls
        )
        self._turn.add_step(ChatMessage(role=Role.ASSISTANT, text=reply.text, tool_calls=calls))

    def add_result(self, call: ToolCall, text: str, full_output: str = "") -> None:
        """Append the result of a call, and shorten older results if the conversation is too long.

        Args:
            call: The call.
            text: Text of the result for the model.
            full_output: File with the whole result; empty without a file.
        """
        self._turn.whole_results[len(self._turn.steps)] = full_output or GONE
        self._turn.add_step(ChatMessage(role=Role.TOOL, text=text, tool_call_id=call.id))
        shorten(self._turn, self._limit_chars)

    def tell(self, text: str) -> None:
        """Append a message to the model."""
        self._turn.add_step(ChatMessage(role=Role.USER, text=text))
