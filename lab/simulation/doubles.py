"""Model, shell and embedder of the simulation: quick, forgetful, and randomly unreliable."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count

import numpy as np

from actors.kernel import Actor
from lab.simulation.chance import Chance
from messages.base import Message
from messages.discord import PostMessage
from messages.embedder import EmbeddingFailed, EmbedTexts, TextsEmbedded
from messages.model import (
    CancelModel,
    ChatMessage,
    ModelDelta,
    ModelFailed,
    ModelReply,
    ModelRequest,
    Role,
    StopReason,
    ToolCall,
    Usage,
)
from messages.shell import BashOutcome, BashResult, CancelBash, EmptyFolder, FolderEmptied, RunBash

ASKED = re.compile(r"\bq(\d+)\b")
ANSWERED = re.compile(r"\ba(\d+)\b")
_FILLER = "word " * 600


@dataclass(slots=True)
class Outside:
    """Memory of the world outside of the agent, over all lives."""

    chance: Chance
    note: Callable[[str], None]
    fails: float = 0.0
    """Probability that a model's call fails, or is never answered."""
    long: float = 0.0
    """Probability of a command with long output."""
    ran: Counter[str] = field(default_factory=Counter)
    """Command -> number of runs."""
    calls: count[int] = field(default_factory=lambda: count(1))
    on_effect: Callable[[], None] = lambda: None
    nonces: set[str] = field(default_factory=set)
    """Nonces of the windows' texts for Discord, whether or not the texts arrived."""

    def note_nonce(self, message: Message) -> None:
        """Note the nonce of a text for Discord."""
        if isinstance(message, PostMessage):
            self.nonces.add(message.nonce)


class ModelDouble(Actor):
    """Model double: answers every unanswered question `q7` of a request with `a7`, often after a command."""

    def __init__(self, outside: Outside) -> None:
        super().__init__()
        self._outside = outside
        self._open: set[str] = set()

    def handle(self, message: Message) -> None:
        """Answer some time later, or never."""
        match message:
            case ModelRequest():
                self._outside.on_effect()
                self._open.add(message.request_id)
                self._answer(message)
            case CancelModel():
                self._open.discard(message.request_id)
            case _Reply():
                if message.request.request_id in self._open:
                    if not isinstance(message.reply, ModelDelta):
                        self._open.discard(message.request.request_id)
                    self.tell(message.request.reply_to, message.reply)
            case _:
                super().handle(message)

    def _answer(self, request: ModelRequest) -> None:
        chance, request_id = self._outside.chance, request.request_id
        delay_s = chance.draw_skewed(0.05, 30.0)
        self._outside.note(f"model asked {request_id} for {_questions(request.messages)}")
        if chance.happens(self._outside.fails):
            reply: Message = ModelFailed(request_id=request_id, reason="the model is away", attempts=3)
            self.after(delay_s, _Reply(request=request, reply=reply))
            return
        rounds = sum(message.role == Role.TOOL for message in _since_question(request.messages))
        calls: tuple[ToolCall, ...] = ()
        text = " ".join(f"a{number}" for number in _questions(request.messages)) or "nothing to say"
        if request.tools and chance.happens(0.35) and rounds < 3:
            calls = tuple(self._call() for _ in range(1 + chance.below(2)))
            text = ""
        elif chance.happens(0.3):
            self.after(delay_s / 2, _Reply(request=request, reply=ModelDelta(request_id=request_id, text=text[:1])))
        reply = ModelReply(
            request_id=request_id,
            text=text,
            tool_calls=calls,
            stop_reason=StopReason.TOOL_CALLS if calls else StopReason.STOP,
            usage=Usage(prompt_tokens=10, completion_tokens=5),
            model="simulated",
        )
        self.after(delay_s, _Reply(request=request, reply=reply))

    def _call(self) -> ToolCall:
        number = next(self._outside.calls)
        return ToolCall(id=f"call-{number}", name="bash", arguments_json=json.dumps({"command": f"echo c{number}"}))


class _Reply(Message, frozen=True, kw_only=True, gc=False):
    request: ModelRequest
    reply: Message


class ShellDouble(Actor):
    """Shell double: runs no command and remembers all."""

    def __init__(self, outside: Outside) -> None:
        super().__init__()
        self._outside = outside
        self._open: dict[str, RunBash] = {}

    def handle(self, message: Message) -> None:
        """Answer some time later."""
        match message:
            case RunBash():
                self._outside.ran[message.command] += 1
                self._outside.note(f"shell runs {message.command}")
                self._outside.on_effect()
                self._open[message.request_id] = message
                self.after(self._outside.chance.draw_skewed(0.01, 60.0), _Ended(request_id=message.request_id))
            case CancelBash():
                self._end(message.request_id, BashOutcome.ABORTED)
            case _Ended():
                self._end(message.request_id, BashOutcome.EXITED)
            case EmptyFolder():
                self.tell(message.reply_to, FolderEmptied(request_id=message.request_id))
            case _:
                super().handle(message)

    def _end(self, request_id: str, outcome: BashOutcome) -> None:
        request = self._open.pop(request_id, None)
        if request is None:
            return
        text = "done " + (_FILLER * 10 if self._outside.chance.happens(self._outside.long) else "")
        result = BashResult(
            request_id=request.request_id,
            outcome=outcome,
            exit_code=0 if outcome is BashOutcome.EXITED else None,
            text=text,
            truncated=False,
            full_output_path="",
            duration_s=0.01,
        )
        self.tell(request.reply_to, result)


class _Ended(Message, frozen=True, kw_only=True, gc=False):
    request_id: str


class EmbedderDouble(Actor):
    """Embedder double: gives each text a direction of its own."""

    def __init__(self, outside: Outside, space: str, dimensions: int) -> None:
        super().__init__()
        self._outside, self._space, self._dimensions = outside, space, dimensions

    def handle(self, message: Message) -> None:
        """Answer a moment later, or report a failure."""
        if isinstance(message, _Embedded):
            self.tell(message.request.reply_to, message.reply)
            return
        if not isinstance(message, EmbedTexts):
            super().handle(message)
            return
        reply: Message = TextsEmbedded(
            request_id=message.request_id, model=self._space, vectors=tuple(map(self._vector, message.texts))
        )
        if self._outside.chance.happens(self._outside.fails):
            reply = EmbeddingFailed(request_id=message.request_id, reason="no connection", is_permanent=False)
        self.after(self._outside.chance.draw_skewed(0.01, 3.0), _Embedded(request=message, reply=reply))

    def _vector(self, text: str) -> bytes:
        drawn = np.frombuffer(blake2b(text.encode(), digest_size=64).digest(), np.uint8).astype(np.float32) - 127.5
        vector = np.zeros(self._dimensions, np.float32)
        vector[: len(drawn)] = drawn
        return bytes((vector / np.linalg.norm(vector)).astype("<f4").tobytes())


class _Embedded(Message, frozen=True, kw_only=True, gc=False):
    request: EmbedTexts
    reply: Message


def _since_question(messages: tuple[ChatMessage, ...]) -> list[ChatMessage]:
    """Messages after the last message of a person."""
    last = max((place for place, message in enumerate(messages) if message.role == Role.USER), default=-1)
    return list(messages[last + 1 :])


def _questions(messages: tuple[ChatMessage, ...]) -> list[int]:
    """Numbers of unanswered questions, as far as the request shows; a question is a last line."""
    answered = {
        int(number) for each in messages if each.role == Role.ASSISTANT for number in ANSWERED.findall(each.text)
    }
    numbers = (
        number
        for each in messages
        if each.role == Role.USER
        for number in ASKED.findall(each.text.rstrip().rpartition("\n")[2])
    )
    return sorted({int(number) for number in numbers} - answered)
