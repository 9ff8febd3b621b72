"""JSON with slips: objects as small models write them, read where only one meaning is plain.

Accepted are single quotes, keys and words without quotes, numbers with a leading zero, extra commas, unescaped line
feeds and quotes, doubled braces, and missing brackets at the end. A string or word without an end is never read,
since the rest of a command may be missing.
"""

from __future__ import annotations

import json
import re
from typing import Any

POSITIONAL = ""
"""Key of a string that stands in an object without a key."""
_MOST_DEPTH = 6
_MOST_CHARS = 32_000
_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"[^\s\"'{}\[\],:][^\n\"'{}\[\],]*")
_KEY = re.compile(r"[A-Za-z_-][\w-]{0,63}(?=\s*:)")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "/": "/", "'": "'"}
_BEHIND = r"\s*(?:\Z|[}\]][\s}\]]*(?:\Z|`{3}|<|,\s*[\"'{]|(?<=\n)))|\s*\n`{3}"
_ENDS = {
    ":": re.compile(r"\s*:"),
    "": re.compile(rf"{_BEHIND}|\s*,\s*(?:\Z|[}}\]\"'{{\[]|[A-Za-z_-][\w-]{{0,63}}\s*:)"),
    "[": re.compile(rf"{_BEHIND}|\s*,"),
}
"""Text behind the closing quote of a string: for a key, a value and an item."""


class _LooseError(ValueError):
    """A text with no plain meaning."""


def loose_object(text: str) -> tuple[dict[str, Any], int] | None:
    """The object at the beginning of a text, and the place behind the object; None if the meaning is not plain.

    Args:
        text: Text that may go on behind the object.
    """
    if not text.startswith("{") or len(text) > _MOST_CHARS:
        return None
    reader = _Reader(text)
    try:
        return reader.read_object(0), reader.at
    except _LooseError:
        return None


class _Reader:
    """Reader of a text from the beginning."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0
        """Place of the next character."""

    def read_object(self, depth: int) -> dict[str, Any]:
        """The object that begins here."""
        self._go_down(depth)
        if self._peek() == "{":
            inner = self.read_object(depth + 1)
            self._take("}")
            return inner
        fields = dict[str, Any]()
        while not self._ends("}"):
            name, value = self._field(depth)
            if name in fields:
                raise _LooseError
            fields[name] = value
            self._take(",")
        if POSITIONAL in fields and len(fields) > 1:
            raise _LooseError
        return fields

    def _field(self, depth: int) -> tuple[str, Any]:
        """Name and value; a string alone has no name."""
        quote = self._peek()
        key = _KEY.match(self._text, self.at)
        if key is not None:
            self.at = key.end()
            name = key[0]
        elif quote in ('"', "'") and quote:
            start = self.at
            try:
                name = self._string(quote, _ENDS[":"])
            except _LooseError:
                self.at = start
                return POSITIONAL, self._string(quote, _ENDS[""])
        else:
            raise _LooseError
        if not self._take(":"):
            raise _LooseError
        return name, self._value(depth)

    def _value(self, depth: int, end: str = "") -> Any:
        mark = self._peek()
        if mark == "{":
            return self.read_object(depth + 1)
        if mark == "[":
            self._go_down(depth + 1)
            items = list[Any]()
            while not self._ends("]"):
                items.append(self._value(depth + 1, "["))
                self._take(",")
            return items
        if mark in ('"', "'") and mark:
            return self._string(mark, _ENDS[end])
        word = _WORD.match(self._text, self.at)
        if word is None or word.end() == len(self._text):
            raise _LooseError
        self.at = word.end()
        return _plain(word[0].strip())

    def _string(self, quote: str, end: re.Pattern[str]) -> str:
        """The string that begins here; a quote belongs to the string if no fitting text follows."""
        at, characters = self.at + 1, list[str]()
        while at < len(self._text):
            character = self._text[at]
            if character == "\\" and at + 1 < len(self._text):
                at += 1
                follower = self._text[at]
                if follower == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", self._text[at + 1 : at + 5]):
                    characters.append(chr(int(self._text[at + 1 : at + 5], 16)))
                    at += 4
                else:
                    characters.append(_ESCAPES.get(follower, "\\" + follower))
            elif character == quote and end.match(self._text, at + 1):
                self.at = at + 1
                return "".join(characters)
            elif character == quote and end is _ENDS[":"]:
                raise _LooseError
            else:
                characters.append(character)
            at += 1
        raise _LooseError

    def _go_down(self, depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise _LooseError
        self.at += 1

    def _ends(self, bracket: str) -> bool:
        """True behind the closing bracket, and at the end of the text if the bracket is missing."""
        mark = self._peek()
        if mark in ("", "`"):
            return True
        return self._take(bracket)

    def _peek(self) -> str:
        """The next character that is not a blank; empty at the end."""
        space = _SPACE.match(self._text, self.at)
        self.at = space.end() if space else self.at
        return self._text[self.at : self.at + 1]

    def _take(self, mark: str) -> bool:
        if self._peek() != mark:
            return False
        self.at += 1
        return True


def _plain(word: str) -> Any:
    """A word without quotes: a constant, a number, or text."""
    if word.lower() in _CONSTANTS:
        return _CONSTANTS[word.lower()]
    return json.loads(word) if _NUMBER.fullmatch(word) else word
