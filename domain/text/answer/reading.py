"""Reading of answers: one function makes a `Completion` of a server's answer in any form and any pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from domain.text.answer.ending import stop_reason
from domain.text.answer.json_call import Call, Tools, bare_name, json_values
from domain.text.answer.loose_json import loose_object
from domain.text.answer.quotation import is_quoted
from domain.text.answer.thoughts import has_mark, part_thoughts, shown_so_far
from domain.text.answer.written_call import may_become_call, without_template_end, written_calls
from messages.model import Completion, ModelRequest, Role, StopReason, ToolCall, ToolSpec, Usage

_MOST_NAME_CHARS = 200
_MOST_ID_CHARS = 64 * 1024
"""Some ids carry the signature of a thought."""


@dataclass(frozen=True, slots=True)
class SentCall:
    """A tool call as a server sent it."""

    id: str
    names: tuple[str, ...]
    """The name in pieces, or the whole name several times."""
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Content of an answer, as a server sent it."""

    text: str = ""
    calls: tuple[SentCall, ...] = ()
    refusal: str = ""
    thoughts: str = ""
    thoughts_json: str = ""
    """Fields of thoughts, as the server sent them."""
    ended: str = ""
    """The provider's word for the reason of the end."""


def read_answer(sent: Sent, request: ModelRequest, usage: Usage) -> Completion:
    """The meaning of an answer to `request`."""
    tools = tools_of(request.tools)
    parted = part_thoughts(sent.text, is_topic=_is_topic(sent.text, request))
    text = without_template_end(parted.answer)
    reason = stop_reason(sent.ended)
    calls = [(call.id, _name(call.names, tools), _arguments(call.arguments)) for call in sent.calls]
    if not calls:
        written = _channel_calls(parted.calls, tools) or _own_calls(text, tools, request)
        calls = [("", name, arguments) for name, arguments in written]
        text = "" if written and not parted.calls else text
    if reason in (StopReason.FILTER, StopReason.REFUSAL, StopReason.MALFORMED):
        calls = []  # What the provider ended or cannot read itself is no call to run.
    elif calls:
        reason = reason if reason is StopReason.LENGTH else StopReason.TOOL_CALLS
    elif reason is StopReason.TOOL_CALLS:
        reason = StopReason.STOP if text.strip() else StopReason.MALFORMED
    if sent.refusal.strip() and not calls and reason is not StopReason.LENGTH:
        reason = StopReason.REFUSAL
    return Completion(
        text=text,
        tool_calls=_number_calls(calls, request.request_id),
        stop_reason=reason,
        refusal=sent.refusal,
        thoughts="\n\n".join(part for part in (sent.thoughts, parted.thoughts) if part),
        thoughts_json=sent.thoughts_json if calls else "",
        usage=usage,
    )


def shown_text(text: str, request: ModelRequest) -> str:
    """Beginning of an answer that may be shown to people during streaming."""
    beginning = shown_so_far(text, is_topic=_is_topic(text, request))
    return "" if may_become_call(beginning, tools_of(request.tools)) else beginning


def tools_of(specs: Sequence[ToolSpec]) -> Tools:
    """The tools with the types of their parameters."""
    return _tools(tuple(specs))


@lru_cache(maxsize=16)
def _tools(specs: tuple[ToolSpec, ...]) -> dict[str, dict[str, str]]:
    return {spec.name: _parameters(spec.parameters_json) for spec in specs}


def _parameters(schema_json: str) -> dict[str, str]:
    try:
        properties = json.loads(schema_json)["properties"]
        return {str(name): str(schema["type"]) for name, schema in properties.items() if "type" in schema}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _is_topic(text: str, request: ModelRequest) -> bool:
    """True if an answer holds a mark of thoughts, and people, files or outputs in its request do so, too."""
    return has_mark(text) and any(
        has_mark(message.text) for message in request.messages if message.role is not Role.ASSISTANT
    )


def _channel_calls(calls: Sequence[Call], tools: Tools) -> list[Call]:
    """Calls in channels of their own, if each is of a tool."""
    named = [(bare_name(name, tools), _arguments(arguments)) for name, arguments in calls]
    return named if all(name in tools for name, _ in named) else []


def _own_calls(text: str, tools: Tools, request: ModelRequest) -> Sequence[Call]:
    """Calls that make up a whole text; empty for a quotation from the request."""
    calls = written_calls(text, tools)
    return () if calls and is_quoted(text, calls, request.messages) else calls


def _name(pieces: Sequence[str], tools: Tools) -> str:
    """Join a name from pieces; several whole names, or ever longer names, are one name."""
    whole = last = ""
    for piece in pieces:
        whole = whole if piece == whole else whole + piece
        last = piece
    candidates = (whole, "".join(pieces), last, pieces[0] if pieces else "")
    return next((bare for name in candidates if (bare := bare_name(name, tools)) in tools), whole)


def _arguments(text: str) -> str:
    """JSON of arguments as a tool can read it, also if a server wrapped, repeated or omitted the JSON."""
    bare = text.strip()
    if bare in ("", "null", "None"):
        return "{}"
    values = json_values(bare) if bare.startswith("{") else None
    if values is None and (read := loose_object(bare)) is not None and not bare[read[1] :].strip(" }`\n"):
        return json.dumps(read[0], ensure_ascii=False)
    if values is not None and len(values) > 1 and all(value == values[0] for value in values):
        return json.dumps(values[0], ensure_ascii=False)
    if bare.startswith('"'):
        try:
            inner = json.loads(bare)
        except (ValueError, RecursionError):
            return text
        return inner if isinstance(inner, str) and inner.lstrip().startswith("{") else text
    return text


def is_written(call: ToolCall) -> bool:
    """True if a model wrote a call into the text, or the server gave the call no id."""
    return re.fullmatch(r"call_.+_\d+", call.id) is not None


def _number_calls(calls: Sequence[tuple[str, str, str]], prefix: str) -> tuple[ToolCall, ...]:
    """Calls with an id each; a missing, repeated or unusable id is replaced by a generated id."""
    used_ids = set[str]()
    numbered = list[ToolCall]()
    for number, (call_id, name, arguments) in enumerate(calls, 1):
        may_be_kept = call_id and call_id not in used_ids and len(call_id) <= _MOST_ID_CHARS and call_id.isprintable()
        own_id = call_id if may_be_kept else f"call_{prefix}_{number}"
        used_ids.add(own_id)
        numbered.append(ToolCall(id=own_id, name=_plain_name(name), arguments_json=arguments))
    return tuple(numbered)


def _plain_name(name: str) -> str:
    """A name fit to keep and show: one short line without control characters."""
    short = name[:_MOST_NAME_CHARS]
    return short if short.isprintable() else "".join(each if each.isprintable() else "\ufffd" for each in short)
