"""Counter of JSON's brackets in a text that comes in pieces: whether a value may be whole, at one look a character."""

from __future__ import annotations

import re

_MARK = re.compile(r'["\\{}\[\]]')


class Brackets:
    """Counter of open brackets, outside of strings."""

    def __init__(self) -> None:
        """Nothing has come."""
        self._depth = 0
        self._has_any = False
        self._is_string = False
        self._is_escaped = False
        """True if the next character belongs to a backslash."""

    @property
    def are_closed(self) -> bool:
        """True if all brackets are closed that were opened, of which there was one."""
        return self._has_any and self._depth <= 0 and not self._is_string

    def take(self, piece: str) -> None:
        """Count a further piece."""
        at = 0
        if self._is_escaped and piece:
            self._is_escaped, at = False, 1
        while (mark := _MARK.search(piece, at)) is not None:
            at = mark.end()
            if mark[0] == "\\":
                self._is_escaped = at == len(piece)
                at += 1
            elif mark[0] == '"':
                self._is_string = not self._is_string
            elif not self._is_string:
                self._has_any = True
                self._depth += 1 if mark[0] in "{[" else -1
