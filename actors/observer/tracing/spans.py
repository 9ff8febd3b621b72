"""Spans of a turn in OpenTelemetry's form: a root for the turn, below the root each answered question. Pure.

Source:
    Names of attributes with the prefix `gen_ai.` follow OpenTelemetry's semantic conventions for generative AI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from actors.observer.turns import Span, Turn

Attribute = str | int | float | bool


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """Span of a trace, numbered by place in the trace."""

    name: str
    begin: float
    """Seconds of the monotonic clock, like `end`."""
    end: float
    parent: int | None
    """Number of the enclosing span, always a lower number; None for the turn itself."""
    has_failed: bool = False
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


def spans_of(turn: Turn) -> list[TraceSpan]:
    """Trace of an ended turn, without any words of the conversation.

    An unanswered question has failed, and ends with the turn, or at its begin if later.
    """
    over = turn.begin if turn.end is None else turn.end
    ends = [over, *(span.end for span in turn.spans if span.end is not None)]
    attributes: dict[str, Attribute] = {
        "remembrancer.window": turn.window,
        "remembrancer.turn": turn.turn_id,
        "remembrancer.outcome": turn.outcome,
    }
    if turn.left_out:
        attributes["remembrancer.spans_left_out"] = turn.left_out
    root = TraceSpan("turn", turn.begin, max(ends), None, turn.outcome == "failed", attributes)
    return [root, *(_below(span, over) for span in turn.spans)]


def _below(span: Span, over: float) -> TraceSpan:
    attributes: dict[str, Attribute] = {
        "remembrancer.actor": span.who,
        "remembrancer.asker": str(span.asker.kind),
        "remembrancer.question": span.what,
        "remembrancer.answer": span.answer,
    }
    if span.usage is not None:
        attributes |= {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": span.model,
            "gen_ai.usage.input_tokens": span.usage.prompt_tokens,
            "gen_ai.usage.output_tokens": span.usage.completion_tokens,
            "remembrancer.cost_usd": span.usage.cost_usd,
        }
    is_answered = span.end is not None
    end = max(span.begin, over) if span.end is None else span.end
    parent = 0 if span.parent is None else span.parent + 1
    return TraceSpan(f"{span.who} {span.what}", span.begin, end, parent, not is_answered, attributes)
