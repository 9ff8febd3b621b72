"""Slips of a model: a call written into the answer, among words or for an unknown name.

A text made only of tool calls is read in `reading.py`. Here an answer would show a call to people.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from domain.text.answer.json_call import Call, Tools, arguments_text, json_values
from domain.text.answer.loose_json import loose_object
from domain.text.answer.written_call import written_calls

_BLOCK = re.compile(
    r"```[ \t]*[\w+-]{0,20}[ \t]*\n(?P<code>.*?)(?:```|\Z)"
    r"|<(?P<tag>tool_calls?|tools?|function_?calls?)>(?P<body>.*?)(?:</(?P=tag)>|\Z)"
    r"|^(?P<line>\{.*\}|\[\s*\{.*\}\s*\])[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_LINE = re.compile(r"^[ \t]*(?P<line>[{\[].*[}\]])[ \t]*$", re.MULTILINE)
_BROKEN = re.compile(
    r"(?:```[ \t]*\w{0,20}\s*)?\{+\s*[\"']?name[\"']?\s*:\s*[\"']?(?P<name>[\w.-]{1,64})[\"']?\s*,\s*"
    r"[\"']?(?:arguments|parameters)[\"']?\s*:"
    r"(?P<arguments>.{0,4000})",
    re.DOTALL,
)
_SETTING = re.compile(r"(?:[\s`{}\[\],]|</?(?:tool|function)_?calls?>)*")
"""Text around a call, without words."""
_DOUBLE = re.compile(r"\A\s*\{(?=\s*\{)")
_RESULT = re.compile(r"</?tool_(?:response|result|output)s?>\s*")
_HEADER = re.compile(r"\A\s*\[\d{4}-\d\d-\d\d \d\d:\d\d UTC\] [^\n]{1,100}?:(?:[ \t]*\n|[ \t]+(?=\S))")
_OWN_NAME = "Remembrancer"
"""The agent's name in the system prompt."""
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}")
_TOPIC = re.compile(r"\"arguments\"|\b(?:tool|function)[ _-]?call|<tool_|\bexpand\b.{0,9}\bpath\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slip:
    """Calls in an answer."""

    is_alone: bool
    """True if the answer holds only the calls; among words, calls may be a quotation or an example."""
    calls: tuple[Call, ...]


def is_about_calls(text: str) -> bool:
    """True if people write about calls, so an answer may show a call."""
    return _TOPIC.search(text) is not None


def find_slip(answer: str, tools: Tools, skills: Collection[str]) -> Slip | None:
    """The calls that an answer shows; None for an answer for people.

    Args:
        answer: Words of the model.
        tools: The agent's tools, offered or not.
        skills: Names of skills.
    """
    names = {**tools, **{skill: {} for skill in skills}}
    if calls := _read(answer, names) or _unknown_call(answer):
        return Slip(True, calls)
    return _amid(answer, names) or _find_broken_call(answer, names)


def imitates_person(answer: str) -> bool:
    """True if an answer begins with the line above a person's message."""
    header = _HEADER.match(answer)
    return header is not None and _OWN_NAME not in header[0]


def bare_answer(answer: str) -> str:
    """An answer without a model's frame: tags of a result, and the line above a person's message."""
    bare = _HEADER.sub("", answer)
    return _RESULT.sub("", bare).strip() if _RESULT.match(bare.lstrip()) else bare


def _amid(answer: str, names: Tools) -> Slip | None:
    """Calls in a block or line of an answer with words."""
    for block in _BLOCK.finditer(answer):
        if calls := _read(block["code"] or block["body"] or block["line"] or "", names):
            return Slip(False, calls)
    for line in _LINE.finditer(answer):
        if calls := _read(line["line"], names):
            return Slip(False, calls)
    return None


def _find_broken_call(answer: str, names: Tools) -> Slip | None:
    """A call of a known name in broken JSON; where its meaning is not plain, for the model to be told so."""
    call = _BROKEN.search(answer)
    if call is None or call["name"] not in names:
        return None
    before, arguments = answer[: call.start()], call["arguments"].strip()
    read = loose_object(arguments)
    if read is None:
        return Slip(_SETTING.fullmatch(before) is not None, ((call["name"], arguments),))
    value, behind = read
    is_alone = all(_SETTING.fullmatch(around) for around in (before, arguments[behind:]))
    return Slip(is_alone, ((call["name"], arguments_text(value)),))


def _read(text: str, names: Tools) -> tuple[Call, ...]:
    """Calls of known names in a whole text, also with doubled braces, as some templates show calls."""
    if calls := written_calls(text, names):
        return calls
    bare = _first_object(text)
    return () if bare is None else written_calls(bare, names)


def _first_object(text: str) -> str | None:
    """The object within doubled braces; None for any other text."""
    lead = _DOUBLE.match(text)
    if lead is None:
        return None
    inner, depth = text[lead.end() :], 0
    for at, character in enumerate(inner):
        depth += (character == "{") - (character == "}")
        if not depth:
            return inner[: at + 1]
    return None


def _unknown_call(text: str) -> tuple[Call, ...]:
    """The call of a text that is only an object with a name and arguments; empty for any other text."""
    fence = _BLOCK.fullmatch(text.strip())
    bare = (fence["code"] or fence["body"] or fence["line"] or "") if fence else text
    values = json_values(_first_object(bare) or bare)
    if values is None or len(values) != 1 or not isinstance(values[0], dict):
        return ()
    return _calls_of(values[0])


def _calls_of(value: dict[str, Any]) -> tuple[Call, ...]:
    name, arguments = value.get("name"), value.get("arguments", value.get("parameters"))
    if not isinstance(name, str) or not _NAME.fullmatch(name) or not isinstance(arguments, dict) or len(value) != 2:
        return ()
    return ((name, arguments_text(arguments)),)
