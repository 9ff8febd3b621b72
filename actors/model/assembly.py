"""Stream assembly: puts an answer together from its deltas, however ill-formed they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from messages.model import StopReason, ToolCall

_STOP_REASONS = {
    "length": StopReason.LENGTH,
    "max_tokens": StopReason.LENGTH,
    "tool_calls": StopReason.TOOL_CALLS,
    "function_call": StopReason.TOOL_CALLS,
}


@dataclass(slots=True)
class _CallParts:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class Assembly:
    """Accumulator of deltas in OpenAI's form. Data from a server never makes it raise."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: list[_CallParts] = []
        self._of_index: dict[str, _CallParts] = {}
        self._of_id: dict[str, _CallParts] = {}
        self._last: _CallParts | None = None
        self.finish_reason = ""
        """Why the model stopped, as the server says it; empty while it has not."""

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._text)

    def add_text(self, piece: object) -> str:
        """Take in text, also where it comes in parts; gives it back, empty when `piece` is none."""
        text = _words(piece)
        if text:
            self._text.append(text)
        return text

    def add_call(self, delta: object) -> None:
        """Take in a piece of a tool call; pieces belong together by index, else by id, else by order.

        Some servers number all calls alike: one with an id and a name of its own begins another call.
        """
        index, call_id, function = _field(delta, "index"), _string(_field(delta, "id")), _field(delta, "function")
        name = _string(_field(function, "name"))
        if index is not None:
            parts = self._of_index.get(str(index))
            if parts is not None and name and call_id and parts.id and parts.id != call_id:
                parts = None
        else:
            parts = self._of_id.get(call_id) if call_id else self._last
        if parts is None:
            parts = _CallParts()
            self._calls.append(parts)
        self._last = parts
        if index is not None:
            self._of_index[str(index)] = parts
        if call_id:
            self._of_id[call_id] = parts
        parts.id = parts.id or call_id
        parts.name = parts.name or name
        parts.arguments.append(_string(_field(function, "arguments")))

    def tool_calls(self, fallback_id: str) -> tuple[ToolCall, ...]:
        """Tool calls in order of arrival.

        Args:
            fallback_id: Prefix of the ids for calls without an id, or with the id of an earlier call.
        """
        taken: set[str] = set()
        calls = []
        for number, parts in enumerate(self._calls, 1):
            call_id = parts.id if parts.id and parts.id not in taken else f"call_{fallback_id}_{number}"
            taken.add(call_id)
            calls.append(ToolCall(id=call_id, name=parts.name, arguments_json="".join(parts.arguments)))
        return tuple(calls)

    def stop_reason(self) -> StopReason:
        """Why the model stopped; calls that a server forgot to announce count."""
        reason = _STOP_REASONS.get(self.finish_reason, StopReason.STOP)
        if reason is StopReason.LENGTH:
            return reason
        return StopReason.TOOL_CALLS if self._calls else StopReason.STOP


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _words(content: object) -> str:
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _string(value: object) -> str:
    """Text as it is; anything else, which no server should send here, as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, default=str)
