"""Calls of tools as JSON objects: the shapes of a name and its arguments in models' texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

Call = tuple[str, str]
"""Name and arguments, as JSON."""
Tools = Mapping[str, Mapping[str, str]]
"""Name of each tool -> its parameters with their types in JSON Schema."""

_NAMES = (
    "name",
    "tool",
    "tool_name",
    "function",
    "function_name",
    "action",
    "recipient_name",
    "toolName",
    "function_call",
)
_ARGUMENTS = ("arguments", "parameters", "args", "input", "params", "tool_input", "action_input", "kwargs", "arg")
_ASIDE = frozenset({"type", "id", "call_id", "tool_call_id", "index"})
_LISTS = ("tool_calls", "calls", "tool_uses", "function_calls", "tools")
_DECODER = json.JSONDecoder(strict=False)
_BETWEEN = " \t\r\n,;"
_MOST_DEPTH = 4
_FIRST_KEY = re.compile(r'[\s\[]*(?:\Z|\{\s*(?:\Z|"(?P<key>[\w.]{0,40})(?P<end>"?)))')


def bare_name(name: str, tools: Tools) -> str:
    """A tool's name without the space or number that models set around the name; other names unchanged."""
    plain = name.strip().strip("`'\"")
    if plain in tools:
        return plain
    last = plain.partition(":")[0].rpartition(".")[2]
    return last if last in tools else plain


def json_values(text: str) -> list[Any] | None:
    """The values of a text made only of JSON objects and arrays; None for any other text."""
    values, at = list[Any](), 0
    text = text.strip()
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict | list):
            return None
        values.append(value)
        while at < len(text) and text[at] in _BETWEEN:
            at += 1
    return values or None


def calls_of_values(values: Iterable[object], tools: Tools, depth: int = 0) -> list[Call] | None:
    """The calls that JSON values stand for; None if any value is no tool call.

    Args:
        values: Decoded values.
        tools: Tools offered in the request.
        depth: Depth of lists around the values.
    """
    calls = list[Call]()
    for value in values:
        more = _calls_of(value, tools, depth)
        if not more:
            return None
        calls += more
    return calls or None


def may_become_call(beginning: str, tools: Tools) -> bool:
    """True if the beginning of a text in JSON may be the beginning of a call."""
    key = _FIRST_KEY.match(beginning)
    if key is None:
        return False
    names = (*_NAMES, *_ARGUMENTS, *_LISTS, *_ASIDE, "role", "content", *tools)
    if key["key"] is None:
        return True
    return key["key"] in names if key["end"] else any(name.startswith(key["key"]) for name in names)


def arguments_text(value: object) -> str:
    """Arguments in a call's form: JSON of an object."""
    if isinstance(value, str):
        return value.strip() or "{}"
    return "{}" if value is None else json.dumps(value, ensure_ascii=False)


def _calls_of(value: object, tools: Tools, depth: int) -> list[Call] | None:
    if depth > _MOST_DEPTH:
        return None
    if isinstance(value, list):
        return calls_of_values(value, tools, depth + 1)
    if not isinstance(value, dict):
        return None
    if (call := _call_of(value, tools)) is not None:
        return [call]
    for key in _LISTS:
        inner = value.get(key)
        if isinstance(inner, list) and set(value) <= {key, "content", "role", *_ASIDE}:
            return calls_of_values(inner, tools, depth + 1)
    if len(value) == 1:
        (name, arguments), *_ = value.items()
        if bare_name(name, tools) in tools and isinstance(arguments, dict):
            return [(bare_name(name, tools), arguments_text(arguments))]
    return None


def _call_of(value: Mapping[str, Any], tools: Tools) -> Call | None:
    """The call of an object with a tool's name inside."""
    for key in _NAMES:
        name = value.get(key)
        if isinstance(name, dict):
            return _call_of(name, tools)
        if not isinstance(name, str) or bare_name(name, tools) not in tools:
            continue
        tool = bare_name(name, tools)
        for other in _ARGUMENTS:
            if other != key and other in value and isinstance(value[other], dict | str | None):
                return tool, arguments_text(value[other])
        rest = {name: field for name, field in value.items() if name != key and name not in _ASIDE}
        if rest and rest.keys() <= tools[tool].keys():
            return tool, arguments_text(rest)
    return None
