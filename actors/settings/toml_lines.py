"""Line numbers of the keys in a TOML text; tomllib parses without line numbers."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Mapping

KeyPath = tuple[str | int, ...]
"""Keys from the root down; a number is an index into an array."""

_IMPLICIT_DEPTH = 8
"""Depth to which tables known only as a prefix of a dotted key are noted."""

_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_KEY_PART = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""")
_HEADER_END = re.compile(r"[ \t]*\]")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]+")


class ArrayOfTablesError(ValueError):
    """The text has a `[[table]]`, but no setting has this form."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}: arrays of tables are not used in the settings")
        self.line = line


def key_lines(text: str) -> Mapping[KeyPath, int]:
    """Line, counted from 1, of every table, key and array element in `text`.

    A table's line is its header's; without a header, the line of the first key in the table.

    Args:
        text: TOML that tomllib accepts; LF or CRLF.

    Raises:
        ArrayOfTablesError: The text has a `[[table]]`.
        ValueError: The text isn't TOML.
        RecursionError: Arrays or inline tables nest beyond the interpreter's limit.
    """
    scanner = _Scanner(text)
    scanner.scan()
    return scanner.lines


class _Scanner:
    """Single walk over the text; knows as much of the grammar as needed to find the beginnings of keys."""

    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._at = 0
        self._line_ends = [match.start() for match in re.finditer("\n", text)]

    def scan(self) -> None:
        """Fills `lines`."""
        table: KeyPath = ()
        self._take(_GAP)
        while self._at < len(self._text):
            if self._text.startswith("[[", self._at):
                raise ArrayOfTablesError(self._line())
            if self._next() == "[":
                table = self._header()
            else:
                self._pair(table)
            self._take(_GAP)

    def _header(self) -> KeyPath:
        line = self._line()
        self._at += 1
        self._take(_SPACE)
        table = self._key()
        self._take(_HEADER_END)
        self._note(table, line)
        return table

    def _pair(self, table: KeyPath) -> None:
        line = self._line()
        path = (*table, *self._key())
        self._note(path, line)
        self._take(_EQUALS)
        self._value(path)

    def _key(self) -> KeyPath:
        parts = [self._key_part()]
        while _DOT.match(self._text, self._at):
            self._take(_DOT)
            parts.append(self._key_part())
        return tuple(parts)

    def _key_part(self) -> str:
        token = self._take(_KEY_PART)
        if token[0] not in "\"'":
            return token
        # The escapes of quoted keys are those of strings, so tomllib may read them.
        return str(tomllib.loads(f"key = {token}")["key"])

    def _value(self, path: KeyPath) -> None:
        match self._next():
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case '"' | "'":
                self._take(_STRING)
            case _:
                self._take(_SCALAR)

    def _array(self, path: KeyPath) -> None:
        for index in self._items("]"):
            element = (*path, index)
            self._note(element, self._line())
            self._value(element)

    def _inline_table(self, path: KeyPath) -> None:
        for _ in self._items("}"):
            self._pair(path)

    def _items(self, end: str) -> Iterator[int]:
        self._at += 1
        index = 0
        while self._item_follows(end):
            yield index
            index += 1

    def _item_follows(self, end: str) -> bool:
        self._take(_GAP)
        if self._next() == ",":
            self._at += 1
            self._take(_GAP)
        if self._next() != end:
            return True
        self._at += 1
        return False

    def _note(self, path: KeyPath, line: int) -> None:
        self.lines[path] = line
        for depth in range(1, min(len(path), _IMPLICIT_DEPTH)):
            self.lines.setdefault(path[:depth], line)

    def _line(self) -> int:
        return bisect_left(self._line_ends, self._at) + 1

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise ValueError(f"line {self._line()}: not TOML")
        self._at = match.end()
        return match.group()
