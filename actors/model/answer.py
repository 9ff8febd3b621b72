"""Reports of errors in answers, and answers beyond a bound, as faults."""

from __future__ import annotations

import re
from datetime import datetime

import msgspec

from actors.http_client.bounded_answers import refusal_in
from actors.model.backend import AttemptError
from domain.policy.retrying import Fault, FaultKind, classify
from domain.text.answer.assembly import Assembly
from domain.text.answer.events import LineTooLongError
from messages.model import Completion, ModelRequest, Usage

MOST_CHARS = 1_000_000
"""Characters of an answer with its thoughts and its calls: twice the longest answers of models."""
MOST_THOUGHTS_CHARS = 2 * MOST_CHARS
"""Characters of the fields in which a provider wants thoughts back, signatures included."""
MOST_CALLS = 200
"""Calls of an answer: twice as many as a turn may run."""

_STATUS = re.compile("[45][0-9]{2}")
_REFUSAL = re.compile(r"invalid.?(request|argument|param)|bad.?request|validation", re.IGNORECASE)
"""Name of an error's type, where the server's status would have been 400."""
_STATUS_OF_ERRORS = 500
"""Status of an error in an answer without a status of its own."""


def reported_fault(error: object, now: datetime) -> Fault:
    """The fault reported by a server in an answer with a good status."""
    words = error if isinstance(error, str) else msgspec.json.encode(error).decode()
    return classify(("APIStatusError",), _status_in(error) or _STATUS_OF_ERRORS, words, {}, now)


def _status_in(error: object) -> int:
    """The HTTP status in a server's report of an error, as its code or by its type; 0 without a status."""
    fields = error if isinstance(error, dict) else {}
    code = str(fields.get("code"))
    if _STATUS.fullmatch(code):
        return int(code)
    return 400 if _REFUSAL.search(f"{code} {fields.get('type')} {fields.get('status')}") else 0


def beyond_bound(reason: str) -> Fault:
    """The fault of a server that sends more than the limit, in words that name the value and the rule."""
    return Fault(FaultKind.BEYOND_BOUND, text=reason)


def bound_fault(error: BaseException) -> Fault | None:
    """The fault behind an error by which a reader gave up an answer for its size; None for any other error."""
    reason = refusal_in(error, "the model's server")
    if not reason and isinstance(error, LineTooLongError):
        reason = f"the model's server sent an answer that is not read: {error}"
    return beyond_bound(reason) if reason else None


def require_room(assembly: Assembly) -> None:
    """Refuse an unfinished answer beyond its bounds.

    Raises:
        AttemptError: the answer is too large.
    """
    if assembly.is_cut:
        reason = f"the model's server sent an answer of more than {MOST_CHARS:,} characters, the most that are read"
        raise AttemptError(beyond_bound(reason))
    _require_few(assembly.call_count)


def completion_of(assembly: Assembly, request: ModelRequest, usage: Usage) -> Completion:
    """The meaning of an answer within its bounds.

    Raises:
        AttemptError: the answer has too many calls, or too much text beside its thoughts.
    """
    require_room(assembly)
    completion = assembly.completion(request, usage)
    _require_few(len(completion.tool_calls))
    if len(completion.thoughts_json) > MOST_THOUGHTS_CHARS:
        reason = (
            f"the model's server sent thoughts of more than {MOST_THOUGHTS_CHARS:,} characters, the most that are kept"
        )
        raise AttemptError(beyond_bound(reason))
    return completion


def _require_few(count: int) -> None:
    if count > MOST_CALLS:
        reason = f"the model asked for more than {MOST_CALLS} commands in one answer, the most that are read"
        raise AttemptError(beyond_bound(reason))
