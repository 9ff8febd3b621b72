"""Assembly of answers from deltas, however ill-formed the deltas are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from domain.text.answer.brackets import Brackets
from domain.text.answer.chunk import Delta
from domain.text.answer.ending import is_broken_off
from domain.text.answer.kept_thoughts import BESIDE_CALLS, BLOCKS, DETAILS, WORDS, KeptThoughts
from domain.text.answer.reading import Sent, SentCall, read_answer
from messages.model import Completion, ModelRequest, Usage

_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought", "thoughts")
"""Fields in which servers send thoughts as words; the first non-empty field counts."""
_LISTED_THOUGHTS = (DETAILS, BLOCKS)
_OF_THOUGHTS = frozenset({"thinking", "reasoning", "thought", "redacted_thinking", "reasoning_text"})
"""Types of the content parts with thoughts."""
_LEGACY = "function_call"


@dataclass(slots=True)
class _CallParts:
    id: str = ""
    names: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    beside: object = None
    """Provider's field beside the call, for the next request."""
    brackets: Brackets = field(default_factory=Brackets)
    """Of the arguments."""
    counted: int = 0
    """Pieces of the arguments taken in by `brackets`."""
    is_hopeless: bool = False
    """True if no further piece can complete the arguments to an object."""

    @property
    def is_whole(self) -> bool:
        """True if the arguments so far are a whole object; each piece is looked at once, and decoded once."""
        for piece in self.arguments[self.counted :]:
            self.brackets.take(piece)
        self.counted = len(self.arguments)
        if self.is_hopeless or not self.brackets.are_closed:
            return False
        try:
            is_whole = isinstance(json.loads("".join(self.arguments)), dict)
        except (ValueError, RecursionError):
            is_whole = False
        self.is_hopeless = not is_whole
        return is_whole


class Assembly:
    """Accumulator of deltas in OpenAI's form. Data from a server never makes the accumulator raise."""

    def __init__(self, most_chars: int | None = None) -> None:
        """Begin without content.

        Args:
            most_chars: Limit for text, refusal, thoughts and arguments; further pieces are dropped. None: no limit.
        """
        self._room = sys.maxsize if most_chars is None else most_chars
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._thoughts: list[str] = []
        self._kept_thoughts = KeptThoughts()
        self._calls: list[_CallParts] = []
        self._of_index: dict[str, _CallParts] = {}
        self._of_id: dict[str, _CallParts] = {}
        self._last: _CallParts | None = None
        self.size = 0
        """Number of pieces with content: words, thoughts, refusals, calls."""
        self.finish_reason = ""
        """Reason why the model stopped, in the server's word; empty until the server names a reason."""
        self.is_cut = False
        """True if a piece had no room."""

    @property
    def has_ended(self) -> bool:
        """True if the server has named the reason for the end and the answer is whole."""
        return bool(self.finish_reason) and not is_broken_off(self.finish_reason)

    @property
    def call_count(self) -> int:
        """Number of calls so far."""
        return len(self._calls)

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._text)

    @property
    def refusal(self) -> str:
        """All words of a refusal so far."""
        return "".join(self._refusal)

    def add(self, choice: object, *, is_whole: bool = False) -> str:
        """Take in a choice and return the text in the choice.

        Args:
            choice: A delta or a message, with the reason for the end.
            is_whole: True if the choice holds the whole answer: its calls are separate, however a server numbers them.
        """
        if reason := _field(choice, "finish_reason"):
            self.finish_reason = str(reason)
        delta = _field(choice, "delta")
        delta = _field(choice, "message") if delta is None else delta
        if delta is None:
            return ""
        if isinstance(delta, Delta) and delta == Delta(content=delta.content):  # the most, and read five times as fast
            return self.add_text(delta.content)
        self._add_thoughts(delta)
        if refusal := _words(_field(delta, "refusal")):
            self._note(self._refusal, refusal)
        calls = _field(delta, "tool_calls")
        listed = calls if isinstance(calls, list | tuple) else [calls] if calls and isinstance(calls, Mapping) else ()
        for place, call in enumerate(listed):
            if isinstance(call, Mapping):
                self.add_call({**call, "index": place} if is_whole else call)
            elif hasattr(call, "function"):
                self.add_call(call)
        legacy = _field(delta, _LEGACY)
        if legacy and (_field(legacy, "name") or _field(legacy, "arguments")):  # some servers send both empty
            self.add_call({"index": _LEGACY, "function": legacy})
        return self.add_text(_field(delta, "content"))

    def add_text(self, piece: object) -> str:
        """Take in text, also in parts, and return the text; empty if `piece` is no text."""
        text = _words(piece)
        if text:
            self._note(self._text, text)
        for part in piece if isinstance(piece, list) else ():
            if isinstance(part, dict) and part.get("type") == "refusal":
                self._note(self._refusal, _string(part.get("refusal")))
            elif _is_thought(part):
                self._note(self._thoughts, "".join(_texts(part)))
        return text

    def add_call(self, delta: object) -> None:
        """Take in a piece of a tool call; pieces belong together by index, else by id, else by order.

        Some servers number all calls alike: one with an id and a name of its own begins another call, and so does a
        name behind whole arguments.
        """
        self.size += 1
        index, call_id = _field(delta, "index"), _string(_field(delta, "id"))
        function = _field(delta, "function") or delta
        name, arguments = _string(_field(function, "name")), _string(_field(function, "arguments"))
        if index is not None:
            parts = self._of_index.get(str(index))
            if parts is not None and name and call_id and parts.id and parts.id != call_id:
                parts = None
        else:
            parts = self._of_id.get(call_id) if call_id else self._last
        if parts is not None and name and arguments and not call_id and parts.is_whole:
            parts = None
        if parts is None:
            parts = _CallParts()
            self._calls.append(parts)
        self._last = parts
        if index is not None:
            self._of_index[str(index)] = parts
        if call_id:
            self._of_id[call_id] = parts
        parts.id = parts.id or call_id
        if name:
            self._keep(parts.names, name)
        self._keep(parts.arguments, arguments)
        parts.beside = _field(delta, BESIDE_CALLS) or parts.beside

    def completion(self, request: ModelRequest, usage: Usage) -> Completion:
        """The meaning of all deltas received."""
        calls = (SentCall(parts.id, tuple(parts.names), "".join(parts.arguments)) for parts in self._calls)
        sent = Sent(
            text=self.text,
            calls=tuple(calls),
            refusal=self.refusal,
            thoughts="".join(self._thoughts),
            thoughts_json="" if self.is_cut else self._kept_thoughts.encode(parts.beside for parts in self._calls),
            ended=self.finish_reason,
        )
        return read_answer(sent, request, usage)

    def _add_thoughts(self, delta: object) -> None:
        for name in (*WORDS, BLOCKS, DETAILS):
            if value := _field(delta, name):
                self._kept_thoughts.add(name, value)
        for name in (*_THOUGHTS, *_LISTED_THOUGHTS):
            thought = _field(delta, name)
            if thought and (words := "".join(_texts(thought))):
                self._note(self._thoughts, words)
                return

    def _note(self, pieces: list[str], piece: str) -> None:
        self.size += 1
        self._keep(pieces, piece)

    def _keep(self, pieces: list[str], piece: str) -> None:
        self._room -= len(piece)
        if self._room < 0:
            self.is_cut = True
        else:
            pieces.append(piece)


def _field(value: object, name: str) -> object:
    if isinstance(value, msgspec.Struct):  # the most, and a test of mappings is slow
        return getattr(value, name, None)
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _is_thought(part: object) -> bool:
    return isinstance(part, dict) and (part.get("type") in _OF_THOUGHTS or part.get("thought") is True)


def _words(content: object) -> str:
    """The text of a content, without the parts for thoughts."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict) and not _is_thought(part))
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _texts(thought: object, depth: int = 0) -> Iterator[str]:
    """The words of thoughts in any form."""
    if isinstance(thought, str):
        yield thought
    elif depth < 4 and isinstance(thought, list | tuple):
        for part in thought:
            yield from _texts(part, depth + 1)
    elif depth < 4 and isinstance(thought, Mapping):
        for name in ("text", "thinking", "reasoning", "content", "summary"):
            if thought.get(name):
                yield from _texts(thought.get(name), depth + 1)
                return


def _string(value: object) -> str:
    """Text unchanged; any other value, unexpected from a server, as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, default=str)
