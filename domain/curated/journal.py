"""Writeback journal: facts waiting to be written, and the outcome of each; a line of JSON for each step.

An operation is `staged` (or `proposed`, for a person's flush only), then `begun`, then `committed` or
`rejected`. The fact of a last `begun` operation may be in the index already: only the index can tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

FILE = "writeback-journal.jsonl"
LIMIT_BYTES = 16 * 1024 * 1024
"""Largest size of a journal; steps beyond are refused."""
KEPT_FREE_BYTES = 1024 * 1024
"""Free bytes kept from new operations, so waiting operations can always be finished."""
LONG_BYTES = 1024 * 1024
"""Size above which a journal is rewritten, if the rewrite at least halves the journal."""
MOST_WAITING = 1_000
"""Largest number of waiting operations in one folder."""
KEPT_LINES = 1_000
"""Number of newest lines to keep in a rewrite, whatever their content."""


class Step(StrEnum):
    """State of an operation."""

    STAGED = "staged"
    PROPOSED = "proposed"
    BEGUN = "begun"
    COMMITTED = "committed"
    REJECTED = "rejected"


_ENDS = (Step.COMMITTED, Step.REJECTED)
_STEPS = frozenset(step.value for step in Step)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Operation:
    """One fact on the way into an index."""

    id: str
    text: str
    section: str = ""
    at: str = ""
    """Time of staging, ISO 8601."""
    step: Step = Step.STAGED
    window: str = ""
    """Key of the requesting window; empty for the operator."""


Test = Callable[[Operation], bool]


@dataclass(slots=True)
class Journal:
    """State after all lines of a journal."""

    waiting: dict[str, Operation] = field(default_factory=dict)
    """Waiting operations by id, in the order of arrival."""
    ended: int = 0
    unreadable: int = 0
    """Number of unreadable lines."""
    lines: int = 0


def line(operation: Operation, reason: str = "") -> bytes:
    """Journal line with the present step of an operation.

    Args:
        operation: With the step.
        reason: Reason for the rejection.
    """
    fields = {"id": operation.id, "state": operation.step.value, "at": operation.at}
    if operation.step in (Step.STAGED, Step.PROPOSED):
        fields |= {"text": operation.text, "section": operation.section, "window": operation.window}
    if reason:
        fields["reason"] = reason
    return json.dumps(fields, ensure_ascii=True).encode() + b"\n"


def read(data: bytes) -> Journal:
    """Parse a journal; a line cut short by a crash, or written by another program, is skipped and counted."""
    journal = Journal()
    known: set[str] = set()
    for raw in data.split(b"\n"):
        if not raw.strip():
            continue
        journal.lines += 1
        fields = _fields(raw)
        if fields is None:
            journal.unreadable += 1
            continue
        _take(journal, known, fields)
    return journal


def compact_journal(data: bytes) -> bytes:
    """Journal without operations that ended long ago."""
    lines = [raw for raw in data.split(b"\n") if raw.strip()]
    waiting, newest = read(data).waiting, lines[-KEPT_LINES:]
    noted = read(b"\n".join(newest)).waiting
    older = _lines(each for each in waiting.values() if noted.get(each.id) != each)
    return b"".join((*older, *(raw + b"\n" for raw in newest)))


def without(data: bytes, is_gone: Test) -> tuple[bytes, tuple[str, ...]]:
    """Journal without every line of some operations, and the texts of the removed operations.

    Args:
        data: The journal.
        is_gone: True for a staged operation that is to go.
    """
    gone: dict[str, str] = {}
    lines = [(raw, _fields(raw)) for raw in data.split(b"\n") if raw.strip()]
    for _, fields in lines:
        if fields is not None and "text" in fields and fields["state"] in (Step.STAGED, Step.PROPOSED):
            operation = Operation(fields["id"], fields["text"], window=fields["window"])
            if is_gone(operation):
                gone[operation.id] = operation.text
    staying = (raw for raw, fields in lines if fields is not None and fields["id"] not in gone)
    return b"".join(raw + b"\n" for raw in staying), tuple(dict.fromkeys(gone.values()))


def room_for(steps: Iterable[Operation]) -> int:
    """Largest length of a journal that can take the steps."""
    is_new = any(each.step in (Step.STAGED, Step.PROPOSED) for each in steps)
    return LIMIT_BYTES - KEPT_FREE_BYTES * is_new


def _lines(operations: Iterable[Operation]) -> Iterable[bytes]:
    for each in operations:
        first = Step.PROPOSED if each.step is Step.PROPOSED else Step.STAGED
        yield line(Operation(each.id, each.text, each.section, each.at, first, each.window))
        if each.step is Step.BEGUN:
            yield line(each)


def _take(journal: Journal, known: set[str], fields: dict[str, str]) -> None:
    operation_id, step = fields["id"], Step(fields["state"])
    if step in (Step.STAGED, Step.PROPOSED):
        if operation_id not in known:
            known.add(operation_id)
            journal.waiting[operation_id] = Operation(
                operation_id, fields.get("text", ""), fields.get("section", ""), fields["at"], step, fields["window"]
            )
    elif operation_id in journal.waiting:
        earlier = journal.waiting[operation_id]
        if step in _ENDS:
            del journal.waiting[operation_id]
            journal.ended += 1
        else:
            journal.waiting[operation_id] = Operation(
                earlier.id, earlier.text, earlier.section, earlier.at, step, earlier.window
            )


def _fields(raw: bytes) -> dict[str, str] | None:
    try:
        fields = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or not all(isinstance(value, str) for value in fields.values()):
        return None
    if not fields.get("id") or fields.get("state") not in _STEPS:
        return None
    if b"\\u" in raw and any(map(_HALF_CHARACTER.search, fields.values())):
        return None
    return {"at": "", "window": "", **fields}
