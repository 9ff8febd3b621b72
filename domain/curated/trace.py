"""Decision trace: what was injected into a turn or done to a file, and why; a line of JSON each, and so many lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FILE = "traces.jsonl"
MOST_LINES = 2_000
"""Number of kept traces, the newest."""
LONG_BYTES = 512 * 1024
"""Size of the file above which the oldest traces are removed."""
LONGEST_LINE = 4_096
"""Bytes of a line, without the line end."""
_LONGEST_REASON = 300
_MOST_REASONS = 8
_LONGEST_WORD = 80
"""Characters of any other field."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One decision."""

    id: str
    at: str
    """ISO 8601, UTC."""
    context: str
    """Key of the window; `operator` for the command line's."""
    decision: str
    """Decision: `injected`, `off`, `staged`, `committed`, `rejected`, `denied` and so on."""
    reasons: tuple[str, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)
    """Counts by name, for example `global`, `project`, `budget`."""


def line(trace: Trace) -> bytes:
    """Line of a trace; of too many or too long reasons, as many as fit."""
    reasons = [reason[:_LONGEST_REASON] for reason in trace.reasons[:_MOST_REASONS]]
    while len(rendered := _line(trace, reasons, trace.tokens)) > LONGEST_LINE and reasons:
        reasons.pop()
    return (rendered if len(rendered) <= LONGEST_LINE else _line(trace, (), {})) + b"\n"


def _line(trace: Trace, reasons: Sequence[str], tokens: Mapping[str, int]) -> bytes:
    fields = {
        "id": trace.id[:_LONGEST_WORD],
        "at": trace.at[:_LONGEST_WORD],
        "context": trace.context[:_LONGEST_WORD],
        "decision": trace.decision[:_LONGEST_WORD],
        "reasons": list(reasons),
        "tokens": dict(tokens),
    }
    return json.dumps(fields, ensure_ascii=True).encode()


def read(data: bytes) -> tuple[Trace, ...]:
    """Traces of a file, oldest first; invalid lines are skipped."""
    traces = (_trace(raw) for raw in data.split(b"\n") if raw.strip())
    return tuple(trace for trace in traces if trace is not None)[-MOST_LINES:]


def _trace(raw: bytes) -> Trace | None:
    try:
        fields: Any = json.loads(raw.decode("utf-8"))
        return Trace(
            str(fields["id"]),
            str(fields["at"]),
            str(fields["context"]),
            str(fields["decision"]),
            tuple(map(str, fields["reasons"])),
            {str(name): int(value) for name, value in fields["tokens"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
