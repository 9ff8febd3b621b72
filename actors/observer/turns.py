"""Turns on their way through the actors: questions between actors, nested, with the times of their answers. Pure."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from actors.observer.tap import TappedMessage
from messages.base import Address, RequestId, Window
from messages.model import Usage
from messages.turn import PrepareTurn, TurnEnded

MOST_TURNS = 2_000
"""Remembered turns, of all windows together."""
MOST_SPANS = 300
"""Most shown questions of a turn."""


@dataclass(slots=True)
class Span:
    """A question and the answer."""

    who: str
    """Kind of the asked actor."""
    what: str
    """Type of the question."""
    asker: Address
    begin: float
    end: float | None = None
    """Time of the newest answer; None before an answer."""
    parent: int | None = None
    """Place of the enclosing question among the turn's spans."""
    answer: str = ""
    """Type of the newest answer."""
    usage: Usage | None = None
    model: str = ""


@dataclass(slots=True)
class Turn:
    """A window's turn, from the first question."""

    window: str
    turn_id: str
    begin: float
    end: float | None = None
    outcome: str = ""
    spans: list[Span] = field(default_factory=list)
    question_ids: list[RequestId] = field(default_factory=list)
    """Ids of the questions, in their order."""
    left_out: int = 0
    version: int = 0

    def as_dict(self, now: float) -> dict[str, Any]:
        """Form for JSON, with times in milliseconds from the turn's begin."""
        return {
            "window": self.window,
            "turn": self.turn_id,
            "ms": _ms((self.end or now) - self.begin),
            "outcome": self.outcome,
            "left_out": self.left_out,
            "spans": [self._span(span) for span in self.spans],
        }

    def _span(self, span: Span) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "who": span.who,
            "what": span.what,
            "asker": span.asker.kind,
            "from": _ms(span.begin - self.begin),
            "to": None if span.end is None else _ms(span.end - self.begin),
            "in": span.parent,
            "answer": span.answer,
        }
        if span.usage is not None:
            usage = span.usage
            fields |= {"in_tokens": usage.prompt_tokens, "out_tokens": usage.completion_tokens, "usd": usage.cost_usd}
            fields |= {"cached_tokens": usage.cached_tokens, "model": span.model}
        return fields


class Turns:
    """The newest turns of all windows, made of overheard messages."""

    def __init__(self) -> None:
        """Begin without turns."""
        self._turns: OrderedDict[str, Turn] = OrderedDict()
        """Window -> newest turn, in the order of their last changes."""
        self._spans: dict[RequestId, tuple[Turn, int]] = {}
        self._version = 0

    def hear(self, entry: TappedMessage) -> Turn | None:
        """Take in a message; returns the turn ended by the message, if any."""
        message = entry.message
        if isinstance(message, TurnEnded):
            turn = self._turns.get(message.window.address.key)
            if turn is not None and turn.turn_id == message.turn_id and turn.end is None:
                turn.end, turn.outcome = entry.at, message.outcome
                self._note(turn)
                return turn
        elif hasattr(message, "reply_to"):
            self._take_question(entry)
        else:
            self._take_answer(entry)
        return None

    def of(self, window: str) -> Turn | None:
        """The newest turn of a window; of all windows if `window` is empty."""
        if window:
            return self._turns.get(window)
        return next(reversed(self._turns.values()), None)

    def _take_question(self, entry: TappedMessage) -> None:
        message = entry.message
        window = getattr(message, "window", None)
        known = self._spans.get(entry.within) if entry.within is not None else None
        if isinstance(window, Window):
            turn = self._turn_of(window.address.key, entry)
        else:
            turn = known[0] if known is not None else None
        if turn is None or message.request_id in self._spans:
            return
        if len(turn.spans) >= MOST_SPANS:
            turn.left_out += 1
            return
        who, parent = entry.to.kind, known[1] if known is not None and known[0] is turn else None
        span = Span(who, type(message).__name__, message.reply_to, entry.at, parent=parent)
        self._spans[message.request_id] = (turn, len(turn.spans))
        turn.spans.append(span)
        turn.question_ids.append(message.request_id)
        self._note(turn)

    def _turn_of(self, window: str, entry: TappedMessage) -> Turn | None:
        """The turn of a question about a window; the first `PrepareTurn` of a turn begins the turn."""
        turn, message = self._turns.get(window), entry.message
        if isinstance(message, PrepareTurn) and (turn is None or turn.turn_id != message.turn_id):
            if turn is not None:
                self._forget(turn)
            turn = self._turns[window] = Turn(window, message.turn_id, entry.at)
            while len(self._turns) > MOST_TURNS:
                self._forget(self._turns.popitem(last=False)[1])
        return turn

    def _take_answer(self, entry: TappedMessage) -> None:
        turn, place = self._spans.get(entry.message.request_id, (None, 0))
        if turn is None:
            return
        span = turn.spans[place]
        if entry.to != span.asker:
            return
        span.end, span.answer = entry.at, type(entry.message).__name__
        usage = getattr(entry.message, "usage", None)
        if isinstance(usage, Usage):
            span.usage, span.model = usage, str(getattr(entry.message, "model", ""))
        self._note(turn)

    def _note(self, turn: Turn) -> None:
        self._version += 1
        turn.version = self._version
        self._turns.move_to_end(turn.window)

    def _forget(self, turn: Turn) -> None:
        for request_id in turn.question_ids:
            self._spans.pop(request_id, None)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
