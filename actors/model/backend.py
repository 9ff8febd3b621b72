"""Backend protocol of language models, and the offline backend, for work without a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from domain.offline.model import answer
from domain.policy.model_call.fallbacks import Abilities
from domain.policy.retrying import Fault
from domain.text.control_words import break_request, restore_completion
from messages.model import Completion, ModelRequest, StopReason, Usage


class AttemptProgress:
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
        """None until the provider's report."""

    def __call__(self, piece: str) -> None:
        """Take in a piece of the answer."""
        self.has_begun = True
        self.chars += len(piece)
        self._say(piece)


class AttemptError(Exception):
    """An attempt without an answer."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind.value)
        self.fault = fault


class Backend(Protocol):
    """Provider of answers in single attempts; the caller decides about retries."""

    async def complete(self, model: str, request: ModelRequest, say: AttemptProgress) -> Completion:
        """The answer to `request`; `say` is called with each piece of its text on arrival.

        Raises:
            AttemptError: the attempt failed.
        """

    async def abilities(self, model: str) -> Abilities:
        """Abilities of a model, as far as known."""

    async def warm_up(self) -> None:
        """Do in advance the slow part of the first call."""

    async def close(self) -> None:
        """Let go of connections."""


class WordBreaker:
    """Backend that breaks control words for models that may read them in a text, and restores them in answers."""

    def __init__(self, backend: Backend, reads_text_alone: Callable[[str, ModelRequest], bool]) -> None:
        """Stand before a backend.

        Args:
            backend: Makes the calls.
            reads_text_alone: True for a model whose server is known to encode text as text.
        """
        self._backend = backend
        self._reads_text_alone = reads_text_alone

    async def complete(self, model: str, request: ModelRequest, say: AttemptProgress) -> Completion:
        """As the backend behind."""
        if self._reads_text_alone(model, request):
            return await self._backend.complete(model, request, say)
        return restore_completion(await self._backend.complete(model, break_request(request), say))

    async def abilities(self, model: str) -> Abilities:
        """As the backend behind."""
        return await self._backend.abilities(model)

    async def warm_up(self) -> None:
        """As the backend behind."""
        await self._backend.warm_up()

    async def close(self) -> None:
        """As the backend behind."""
        await self._backend.close()


class OfflineBackend:
    """Backend of fixed rules, with immediate answers."""

    async def complete(self, model: str, request: ModelRequest, say: AttemptProgress) -> Completion:  # noqa: ARG002
        """Answer of the offline model; never fails, and is done before any progress could be reported."""
        reply = answer(request.system_prompt, request.messages, request.tools)
        stop_reason = StopReason.TOOL_CALLS if reply.tool_calls else StopReason.STOP
        return Completion(text=reply.text, tool_calls=reply.tool_calls, stop_reason=stop_reason)

    async def abilities(self, model: str) -> Abilities:  # noqa: ARG002
        """Abilities of the offline model."""
        return Abilities()

    async def warm_up(self) -> None:
        """Do nothing: the backend has no slow part."""

    async def close(self) -> None:
        """Do nothing: the backend has no connections."""
