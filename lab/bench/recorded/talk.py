"""Talk: the common form of requests, for comparing a recorded request with the agent's own. Pure.

Normalisations, each for a difference invisible to models and servers, or due to settings:
- only messages, tools and images are compared, no sampling, caching, choice of tools or form of the answer;
- neighbouring texts of one role count as one, blanks aside; a user's images come after the texts of the same message;
- text fields of a tool's result count as one; JSON of arguments and results is compared as a value;
- schemas are compared by types, properties, required ones, items and choices, where a type within itself is an
  object; a description only where one was recorded;
- calls in the history of a request without tools are told in words, since some providers refuse such calls;
- the system prompt may begin the first message, for models without another place in litellm's table;
- ids are compared where the form has ids, else by the order of calls.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_BLANKS = re.compile(r"\s+")
NOT_SHOWN = re.compile(r"\n?\[attachments/\S+ is not shown to you: [^\]\n]*\]")
"""Agent's words for an image not shown to the model."""


class LeftOutError(Exception):
    """Exchange left out of the replay; the text is the reason, as a class."""


@dataclass(frozen=True, slots=True)
class Words:
    """Text of a user or the assistant."""

    role: str
    text: str
    message: int
    """Number of the message with the text."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Image of a user."""

    data: bytes | None
    """Image data; None for the address of an image elsewhere."""
    message: int


@dataclass(frozen=True, slots=True)
class Called:
    """Call of a tool in the history."""

    id: str
    name: str
    arguments: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a tool in the history."""

    id: str
    text: str


Item = Words | Picture | Called | Result


@dataclass(frozen=True, slots=True)
class Tool:
    """Tool offered by a request."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(slots=True)
class Talk:
    """Request for an answer."""

    model: str
    system: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    without: set[str] = field(default_factory=set)
    """Kinds of parts left out, without a place in the agent's requests."""
    has_ids: bool = True

    def say(self, role: str, text: object, message: int) -> None:
        """Add text, unless empty."""
        if isinstance(text, str) and text:
            self.items.append(Words(role, text, message))

    def note_system(self, text: object) -> None:
        """Add to the system prompt.

        Raises:
            LeftOutError: the conversation has begun.
        """
        if self.items:
            raise LeftOutError("a system message amid the conversation")
        if isinstance(text, str) and text:
            self.system.append(text)


def differences(wanted: Talk, talk: Talk) -> Iterator[str]:
    """Differences in form of the agent's request from the recorded request."""
    talk = _unfold(wanted, talk)
    if not wanted.tools and any(isinstance(item, Called) for item in wanted.items):
        yield from _missing_parts(wanted, talk)
        return
    if _plain(" ".join(wanted.system)) != _plain(" ".join(talk.system)):
        yield f"system prompt: {' '.join(talk.system)[:200]!r} for {' '.join(wanted.system)[:200]!r}"
    ours, theirs = _lines(talk), _lines(wanted)
    if len(ours) != len(theirs):
        yield f"parts: {[line[:2] for line in ours]} for {[line[:2] for line in theirs]}"
    for place, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        if mine != other:
            yield f"part {place}: {mine!r:.300} for {other!r:.300}"
            break
    offered, expected = _offers(talk.tools), _offers(wanted.tools)
    for name in sorted(offered.keys() | expected.keys()):
        ours_of, theirs_of = offered.get(name), expected.get(name)
        if ours_of and theirs_of and not theirs_of[0]:
            ours_of = ("", ours_of[1])
        if ours_of != theirs_of:
            yield f"tool {name}: {ours_of!r:.400} for {theirs_of!r:.400}"


def _unfold(wanted: Talk, talk: Talk) -> Talk:
    """Agent's request with the system prompt taken out of the first words, where litellm knows no other place."""
    first, system = next(iter(talk.items), None), "\n\n".join(wanted.system)
    if talk.system or not system or not isinstance(first, Words) or not first.text.startswith(system):
        return talk
    words = Words(first.role, first.text[len(system) :], first.message)
    return replace(talk, system=[system], items=[words, *talk.items[1:]])


def _missing_parts(wanted: Talk, talk: Talk) -> Iterator[str]:
    """Parts of a history that the agent's request does not hold, or not in order; calls may be told in words."""
    whole = "".join("".join(line[1:]) for line in _lines(talk))
    at = 0
    for item in wanted.items:
        for text in (item.name,) if isinstance(item, Called) else (item.text,) if not isinstance(item, Picture) else ():
            place = whole.find(_plain(text), at)
            if place < 0:
                yield f"not told: {text[:200]!r}"
            at = max(at, place)


def _lines(talk: Talk) -> list[tuple[str, ...]]:
    """The conversation as comparable lines."""
    number_of: dict[str, str] = {}
    lines: list[tuple[str, ...]] = []
    for item in _in_order(talk.items):
        match item:
            case Words(role, text, _):
                plain = _plain(NOT_SHOWN.sub("", text))
                if lines and lines[-1][0] == role:
                    lines[-1] = (role, lines[-1][1] + plain)
                elif plain:
                    lines.append((role, plain))
            case Picture(data, _):
                lines.append(("image", hashlib.sha256(data).hexdigest()[:12] if data else "elsewhere"))
            case Called(call_id, name, arguments, signature):
                number_of.setdefault(call_id, f"#{len(number_of)}")
                lines.append(
                    ("call", call_id if talk.has_ids else number_of[call_id], name, canonical(arguments), signature)
                )
            case Result(call_id, text):
                lines.append(
                    ("result", call_id if talk.has_ids else number_of.get(call_id, call_id), _plain(canonical(text)))
                )
    return lines


def _in_order(items: Iterable[Item]) -> list[Item]:
    """Items, with the images of a message after the texts."""
    ordered: list[Item] = []
    late: list[Picture] = []
    for item in items:
        if late and not (isinstance(item, Words | Picture) and item.message == late[0].message):
            ordered += late
            late = []
        if isinstance(item, Picture):
            late.append(item)
        else:
            ordered.append(item)
    return ordered + list(late)


def canonical(text: str) -> str:
    """JSON in canonical form; other text unchanged."""
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text


def _plain(text: str) -> str:
    return _BLANKS.sub("", text)


def _offers(tools: Iterable[Tool]) -> dict[str, tuple[str, object]]:
    return {tool.name: (_plain(tool.description), _outline(tool.schema, tool.schema)) for tool in tools}


def _outline(schema: Any, root: Mapping[str, Any], within: tuple[str, ...] = ()) -> object:
    """Types, properties, required properties, items and choices of a schema, with references followed."""
    if not isinstance(schema, Mapping):
        return None
    if isinstance(reference := schema.get("$ref"), str):
        if reference in within:
            return {"type": "object"}
        target: Any = root
        for step in reference.removeprefix("#/").split("/"):
            target = target.get(step, {}) if isinstance(target, Mapping) else {}
        return _outline(target, root, (*within, reference))
    outline: dict[str, object] = {}
    kind = schema.get("type")
    if isinstance(kind, str):
        outline["type"] = kind.lower()
    if properties := schema.get("properties"):
        outline["type"] = "object"
        outline["properties"] = {name: _outline(part, root, within) for name, part in properties.items()}
    if required := schema.get("required"):
        outline["required"] = sorted(required)
    if "items" in schema:
        outline["items"] = _outline(schema["items"], root, within)
    for several in ("anyOf", "any_of", "oneOf", "allOf"):
        if several in schema:
            outline["of"] = [_outline(part, root, within) for part in schema[several]]
    if choices := schema.get("enum"):
        outline["enum"] = list(choices)
    return outline
