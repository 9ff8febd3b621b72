"""Stand-in for the part that words results: a window and a test in the part's place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from messages.base import Address, EventId, RequestId, TurnId, Window
from messages.context import ResumeWindow
from messages.model import ModelRequest, Role, StopReason
from messages.turn import PrepareTurn, Reference, RequestWorded, TurnContribution, WordRequest
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type

WAIT_S = 1.1
"""Longer than a model call waits."""
BLOCK = 'INJECTED_CONTEXT_MEMORY\n{"memory":1}'
NOTE = 'INJECTED_CONTEXT_OBJECTS\n{"note":1}'
THERE = Reference(path="logs/x.md", line=5)


class Worded(Rig):
    """A window whose results another part words, for which the test answers; perhaps with a memory."""

    def __init__(self, root: Path, *, remembers: bool = False, **decided: Any) -> None:
        if remembers:
            decided["contributors"] = (Address("edge", "memory"),)
        super().__init__(root, **({"wording": worder_of} | decided))
        self.worder = self.system.edge(f"worder-{CHANNEL.id}")
        self.memory = self.system.edge("memory")

    def take_question(self) -> WordRequest:
        """The only question since the last call."""
        (question,) = self.questions()
        return question

    def questions(self) -> list[WordRequest]:
        """Questions since the last call."""
        return of_type(WordRequest, self.worder.drain())

    def word(
        self,
        question: WordRequest,
        results: Mapping[EventId, str] | None = None,
        notes: Mapping[TurnId, str] | None = None,
    ) -> None:
        """Answer a question."""
        self.tell(CHANNEL, word_reply(question.request_id, results, notes))

    def word_all(self, notes: Mapping[TurnId, str] | None = None) -> WordRequest:
        """Answer the one question with a reference for each result: `ref` and what the result is; the question."""
        question = self.take_question()
        self.word(question, {event: f"ref {text}" for event, text in results_of(question).items()}, notes)
        return question

    def let_wait(self) -> WordRequest:
        """Leave the one question unanswered until the model call waits no longer; the question."""
        question = self.take_question()
        assert self.requests() == []
        self.advance(WAIT_S)
        return question

    def run_command(self, result: str, command: str = "ls", call_id: str = "call-1") -> ModelRequest:
        """The model asks for a command, which ends; what the model was shown before."""
        request = self.answer("", bash_call(command, call_id), stop=StopReason.TOOL_CALLS)
        self.finish_command(result)
        return request

    def remember(self) -> None:
        """The memory contributes its block."""
        (prepare,) = of_type(PrepareTurn, self.memory.drain())
        contribution = TurnContribution(
            request_id=prepare.request_id, contributor="edge/memory", block=BLOCK, references=(THERE,)
        )
        self.tell(CHANNEL, contribution)

    def end(self, text: str = "done") -> ModelRequest:
        """The model answers, and people see it; what the model was shown."""
        request = self.answer(text)
        self.deliver()
        return request

    def resume(self) -> None:
        """Pick the window up, as a new life does."""
        self.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=self.surface.address))


def worder_of(window: Window) -> Address:
    """Address of the part that words a window's results."""
    return Address("edge", f"worder-{window.id}")


def word_reply(
    request_id: RequestId,
    results: Mapping[EventId, str] | None = None,
    notes: Mapping[TurnId, str] | None = None,
) -> RequestWorded:
    """An answer."""
    return RequestWorded(
        request_id=request_id, results=tuple((results or {}).items()), notes=tuple((notes or {}).items())
    )


def results_of(question: WordRequest) -> dict[EventId, str]:
    """The results that a question is about."""
    return {call.event: call.text for turn in question.turns for call in turn.calls}


def shown_results(request: ModelRequest) -> list[str]:
    """Texts of a request in the places of results."""
    return [message.text for message in request.messages if message.role is Role.TOOL]
