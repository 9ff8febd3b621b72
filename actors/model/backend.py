"""Backend protocol of language models, and the offline backend, which needs no network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from domain.offline.model import answer
from domain.policy.retrying import Fault
from messages.model import ModelRequest, StopReason, ToolCall, Usage


@dataclass(frozen=True, slots=True)
class Completion:
    """One whole answer."""

    text: str
    tool_calls: tuple[ToolCall, ...]
    stop_reason: StopReason
    usage: Usage


class Heard:
    """Progress of one attempt: called with each piece of text; holds the usage reported by the provider.

    The caller reads the progress after the attempt, also after a cancelled attempt.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """Begin without any text.

        Args:
            say: Is given each piece of the answer's text.
        """
        self._say = say
        self.chars = 0
        """Of the answer's text."""
        self.has_begun = False
        """True if the provider took the request: the request may then cost, whatever becomes of the answer."""
        self.usage: Usage | None = None
        """None while the provider has not said."""

    def __call__(self, piece: str) -> None:
        """Take in a piece of the answer."""
        self.has_begun = True
        self.chars += len(piece)
        self._say(piece)


class AttemptError(Exception):
    """An attempt that gave no answer."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind.value)
        self.fault = fault


class Backend(Protocol):
    """Provider of answers in single attempts; the caller decides about retries."""

    async def complete(self, model: str, request: ModelRequest, say: Heard) -> Completion:
        """The answer to `request`; `say` is given each piece of its text as it comes.

        Raises:
            AttemptError: there is none.
        """

    async def warm_up(self) -> None:
        """Do what would make the first call slow."""

    async def close(self) -> None:
        """Let go of connections."""


class OfflineBackend:
    """Backend of fixed rules, which answers at once."""

    async def complete(self, model: str, request: ModelRequest, say: Heard) -> Completion:  # noqa: ARG002
        """Answer of the offline model; never fails, and is done before any progress could be reported."""
        reply = answer(request.system_prompt, request.messages, request.tools)
        stop_reason = StopReason.TOOL_CALLS if reply.tool_calls else StopReason.STOP
        return Completion(reply.text, reply.tool_calls, stop_reason, Usage())

    async def warm_up(self) -> None:
        """Nothing is slow here."""

    async def close(self) -> None:
        """Nothing is open here."""
