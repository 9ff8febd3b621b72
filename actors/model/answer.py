"""Whole answers in OpenAI's form, and reports of errors in answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

import msgspec

from actors.model.assembly import Assembly
from actors.model.backend import AttemptError, Completion
from actors.model.sse import Report
from domain.policy.retrying import REFUSED, Fault, FaultKind, classify
from messages.base import make_ready
from messages.model import ModelRequest, Usage

_STATUS = re.compile("[45][0-9]{2}")
_REFUSAL = re.compile(r"invalid.?(request|argument|param)|bad.?request|validation", re.IGNORECASE)
"""Name of an error's type, where the server's status would have been 400."""
_STATUS_OF_ERRORS = 500
"""Of an error in an answer that names no status of its own."""


class _Message(msgspec.Struct):
    content: object = None
    tool_calls: object = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: object = None


class _Answer(Report):
    choices: list[_Choice] | None = None
    usage: object = None


_DECODER = msgspec.json.Decoder(_Answer)


def completion_of(data: bytes, request: ModelRequest, usage_of: Callable[[object], Usage], now: datetime) -> Completion:
    """An answer that came as a whole.

    Raises:
        AttemptError: it is none, or the server's report of an error, which is told if it names a status.
    """
    try:
        answer = _DECODER.decode(data)
        if not answer.choices and (error := answer.fields()):
            fault = reported_fault(error, now)
            if _status_in(error) or fault.kind in REFUSED:
                raise AttemptError(fault)
        choice = (answer.choices or [])[0]
    except (msgspec.MsgspecError, UnicodeDecodeError, IndexError, RecursionError) as error:
        raise AttemptError(Fault(FaultKind.UNREADABLE)) from error
    assembly = Assembly()
    assembly.finish_reason = choice.finish_reason if isinstance(choice.finish_reason, str) else "stop"
    assembly.add_text(choice.message.content)
    calls = choice.message.tool_calls
    for place, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            assembly.add_call(call | {"index": place})  # some servers number all of them 0
    tool_calls = assembly.tool_calls(request.request_id)
    return Completion(assembly.text, tool_calls, assembly.stop_reason(), usage_of(answer.usage))


def usage_in(data: bytes, usage_of: Callable[[object], Usage]) -> Usage | None:
    """Usage in a whole answer, whatever else the answer holds; None without usage."""
    try:
        counted = _DECODER.decode(data).usage
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return usage_of(counted) if isinstance(counted, dict) else None


def reported_fault(error: object, now: datetime) -> Fault:
    """The fault that a server reports in an answer whose status is well."""
    words = error if isinstance(error, str) else msgspec.json.encode(error).decode()
    return classify(("APIStatusError",), _status_in(error) or _STATUS_OF_ERRORS, words, {}, now)


def _status_in(error: object) -> int:
    """The HTTP status that a server's report of an error names as its code, or by its type; 0 for none."""
    said = error if isinstance(error, dict) else {}
    code = str(said.get("code"))
    if _STATUS.fullmatch(code):
        return int(code)
    return 400 if _REFUSAL.search(f"{code} {said.get('type')} {said.get('status')}") else 0


make_ready(__name__)
